// Calls drawn at random: of each operation and each command that there is, of pages and in a sandbox.
import * as fc from 'fast-check'
import type { Command } from '../../../src/core/control/command.ts'
import { commands, getCommandPath } from '../../../src/core/mock/extension.ts'
import { operationIds, operationRoutes, type OperationId } from '../../../src/core/schema/operation-routes.ts'
import { headers } from './service.ts'

/** A call of the mock over HTTP. Its path and body may have `{project}`, and its body `{seen}`: what its sender saw last. */
export interface DrawnCall {
  /** The operation, the command, or another name. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the response has what no search compares: request ids, the journal, events. */
  readonly isUnstable?: boolean
}

type Variant = Pick<DrawnCall, 'body' | 'headers'> & { readonly query?: string; readonly params?: object }

const link = { invoice: 'inv_1', type: 'partner', partner: { user: { email: 'ada@example.com' } } }
const key = { 'idempotency-key': 'k' }

/** The compiler requires each operation. */
const operations: Readonly<Record<OperationId, readonly Variant[]>> = {
  createUser: [
    { body: { email: 'ada@example.com', fullName: '{seen}' } },
    { body: { email: 'key@example.com' }, headers: key },
    { body: { email: 1 } },
  ],
  listUsers: [{}, { query: '?limit=2' }, { query: '?after=usr_1' }, { headers: { accept: 'text/html' } }],
  searchUsers: [{ body: { email: 'ada@example.com' } }, { body: {} }],
  retrieveUser: [{}, { params: { user: 'usr_new' } }],
  updateUser: [{ body: { fullName: '{seen}' } }, { body: { email: 'new@example.com', metadata: { a: 1 } } }],
  deleteUser: [{}],
  createPaymentLink: [{ body: link }, { body: { ...link, invoice: 'inv_2' }, headers: key }],
  listPaymentLinks: [{}, { query: '?status=active&invoice=inv_1' }],
  retrievePaymentLink: [{}],
  cancelPaymentLink: [{}],
}

const pathParams = {
  user: 'usr_1',
  paymentLink: 'pml_1',
  name: 'here',
  sandbox: 'other',
  request: 'req_1',
  fault: 'flt_1',
}
const fill = (path: string, params: object = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (text, name: string) => ({ ...pathParams, ...params })[name as 'user'] ?? text)

const operationCalls: readonly DrawnCall[] = operationIds.flatMap((name) =>
  operations[name].map(({ query = '', params, ...variant }) => {
    const { method, path } = operationRoutes[name]
    return { name, method, path: fill(path, params) + query, ...variant }
  }),
)

/** What the documents of a command show is sent, except what would wait in real time. */
const listBodies = ({ examples = {} }: Command) => {
  const bodies = Object.values(examples).map(({ value }) => value)
  return bodies.length === 0
    ? [undefined]
    : bodies.filter((body) => !/"(?:within|delay|hold)"/.test(JSON.stringify(body)))
}

const unstable = /^\/(?:requests|violations|assumptions|coverage|report|events)/

const commandCalls: readonly DrawnCall[] = Object.entries<Command>(commands).flatMap(([name, command]) =>
  (command.scope === 'both' ? ['{project}', undefined] : ['{project}']).flatMap((project) =>
    [...listBodies(command), ...(name === 'waitForHeld' ? [{ held: 1 }] : [])].map((body) => ({
      name,
      method: command.method,
      path: `/__admin${fill(getCommandPath(command, project))}`,
      body: project === undefined && name === 'loadState' ? {} : body,
      isUnstable: unstable.test(command.path),
    })),
  ),
)

const pages = {
  payPage: { method: 'GET', path: '/pay/{project}/pml_1' },
  payByForm: {
    method: 'POST',
    path: '/pay/{project}/pml_1',
    body: 'outcome=succeeded',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
  startPage: { method: 'GET', path: '/', isUnstable: true },
  document: { method: 'GET', path: '/openapi.json', isUnstable: true },
  dashboard: { method: 'GET', path: '/__admin/?project={project}', isUnstable: true },
  unknown: { method: 'GET', path: '/nowhere' },
} satisfies Record<string, Omit<DrawnCall, 'name'>>
const pageCalls: readonly DrawnCall[] = Object.entries(pages).map(([name, page]) => ({ name, ...page }))

/** The records that drawn calls name. */
export const createSeed = (
  mode: 'frozen' | 'stepping' = 'frozen',
  scheduled: readonly ({ readonly reads: number } | { readonly at: string })[] = [],
) => {
  const project = {
    users: ['usr_1', 'usr_2', 'usr_3'].map((id) => ({ id, email: 'ada@example.com' })),
    paymentLinks: [
      { id: 'pml_1', invoice: 'inv_1' },
      { id: 'pml_2', invoice: 'inv_1', status: 'canceled' as const },
    ],
  }
  const scheduledPayments = scheduled.map((when) => ({ paymentLink: 'pml_1', outcome: 'succeeded' as const, when }))
  return {
    clock: { mode, now: '2025-01-01T00:00:00.000Z' },
    template: { users: [{ id: 'usr_template', email: 'template@example.com' }] },
    projects: { one: { ...project, scheduledPayments }, two: project },
  }
}

const project = fc.constantFrom('one', 'one', 'two', 'later')
const inSandbox = (call: DrawnCall): DrawnCall => ({ ...call, path: `/@other${call.path}` })

/** Calls of operations, and less often of commands and pages. */
export const drawnCall: fc.Arbitrary<DrawnCall> = fc
  .tuple(
    fc.oneof(
      { arbitrary: fc.constantFrom(...operationCalls), weight: 12 },
      { arbitrary: fc.constantFrom(...commandCalls), weight: 3 },
      { arbitrary: fc.constantFrom(...pageCalls), weight: 1 },
      { arbitrary: fc.constantFrom(...operationCalls, ...commandCalls).map(inSandbox), weight: 1 },
    ),
    project,
  )
  .map(([call, id]) => ({ ...call, path: call.path.replace('{project}', id) }))

/** Returns the arguments of `fetch` for a call. */
export const toRequest = ({ method, path, body, headers: more }: DrawnCall, seen: string): [string, RequestInit] => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)?.replace('{seen}', seen)
  return [path, { method, headers: { ...headers, ...more }, ...(text !== undefined && { body: text }) }]
}

/** Returns what the sender of a call sees of its response. */
export const readResponse = async ({ isUnstable, name }: DrawnCall, response: Response): Promise<string> => {
  if (name === 'events') await response.body?.cancel()
  return isUnstable ? '' : `${response.status} ${await response.text()}`
}
