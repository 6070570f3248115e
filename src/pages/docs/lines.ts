import { curlOf } from '../curl.ts'
import type { Steer } from '../dashboard/view.ts'
import { type Document, type Placed } from './document.ts'

/** What is there to call with: a project, and rows of it. */
export interface Sample {
  readonly project: string
  readonly user?: string | undefined
  readonly email?: string | undefined
  /** One that is still active, if there is any. */
  readonly paymentLink?: string | undefined
  readonly invoice?: string | undefined
  /** Whether any token will do. */
  readonly anyToken: boolean
}

/** Looks for rows of the first project. A caller who could not read them otherwise gets names that need not be there. */
export const sampleOf = async (steer: Steer, mayLook: (anyToken: boolean) => boolean): Promise<Sample> => {
  const { items: projects } = await steer.one('listProjects')
  const { items: tokens } = await steer.all('readTokens')
  const project = projects[0]?.id
  if (project === undefined || !mayLook(tokens.length === 0)) return { project: 'acme', anyToken: tokens.length === 0 }
  const params = { project }
  const query = { limit: '1' }
  const [user] = (await steer.one('listUsers', { params, query })).items
  const [active] = (await steer.one('listPaymentLinks', { params, query: { ...query, status: 'active' } })).items
  const [any] = active === undefined ? (await steer.one('listPaymentLinks', { params, query })).items : [active]
  const anyToken = (await steer.one('readTokens', { params })).items.length === 0
  return { project, user: user?.id, email: user?.email, paymentLink: any?.id, invoice: any?.invoice, anyToken }
}

/** A line of the shell that asks this server for an operation. */
export const lineOf = (operation: Placed, sample: Sample, { servers }: Document, origin: string): string => {
  const { method, path } = operation
  const ids: Readonly<Record<string, string | undefined>> = {
    project: sample.project,
    user: sample.user ?? 'usr_1',
    paymentLink: sample.paymentLink ?? 'pml_1',
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? name))
  const base = servers[0]?.url ?? '/'
  const body = bodyOf(operation, sample)
  return curlOf({
    method,
    url: `${origin}${base === '/' ? '' : base}${filled}`,
    headers: [
      ['Authorization', sample.anyToken ? 'Bearer any' : 'Bearer $TOKEN'],
      ['Accept', 'application/json'],
      ...(body === undefined ? [] : [['Content-type', 'application/json'] as const]),
    ],
    body,
  })
}

/** The example of the document, with what is there in place of what is made up. */
const bodyOf = ({ operationId, requestBody }: Placed, { email, invoice }: Sample): unknown => {
  const examples = requestBody?.content['application/json']?.examples ?? {}
  const example = (examples.complete ?? Object.values(examples)[0])?.value
  if (typeof example !== 'object' || example === null) return undefined
  const known: Readonly<Record<string, object>> = {
    // An address that no user of the seed has: a second one may be refused.
    createUser: { email: 'new.user@example.com' },
    searchUsers: email === undefined ? {} : { email },
    createPaymentLink: invoice === undefined ? {} : { invoice },
  }
  return { ...example, ...known[operationId] }
}
