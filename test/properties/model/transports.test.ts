// Proves: Same on every transport.
/** The sequences of the model, sent to a mock in process, over HTTP, and to the shipped command. */
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createMock, type MockOptions } from '../../../src/node/index.ts'
import { startCli } from '../../cli/support/cli.ts'
import { initOf, toWireRequest } from './agreement.ts'
import { createModel, type RecordKind } from './model.ts'
import { projects, type Reference } from './requests.ts'
import type { ControlStep } from './control-steps.ts'
import { type Step, steps } from './steps.ts'
import { readJson } from '../../support/read.ts'

// TRANSPORT_SEQUENCES=2000 for a longer run.
const sequences = Number(process.env.TRANSPORT_SEQUENCES ?? 3)

type Send = (path: string, init: RequestInit) => Promise<Response>

interface Sent {
  readonly path: string
  readonly init: RequestInit
}

const origin = 'http://mock.example'
const options = { clock: 'stepping', publicUrl: origin, idSeed: 'transports' } satisfies MockOptions

/** Headers of the connection. */
const ofTheWire = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])

const startAll = async (): Promise<Readonly<Record<'in process' | 'over HTTP' | 'command' | 'asked', Send>>> => {
  const [embedded, listening, asked] = [createMock(options), createMock(options), createMock(options)]
  for (const mock of [embedded, listening, asked]) onTestFinished(() => mock.close())
  const { url } = await listening.listen()
  const flags = [
    '--clock',
    'stepping',
    '--public-url',
    origin,
    '--id-seed',
    options.idSeed,
    '--seed',
    'fixtures/empty.json',
  ]
  const command = await startCli(['--log', 'silent', ...flags])
  return {
    'in process': async (path, init) => embedded.fetch(origin + path, init),
    'over HTTP': (path, init) => fetch(url + path, init),
    command: (path, init) => fetch(command.url + path, init),
    // Reading a project completes its due payments, so a separate mock is used to look up ids.
    asked: async (path, init) => asked.fetch(origin + path, init),
  }
}

/** Every byte of a response; null for an incomplete one, and the message of `fetch` without one. */
const bytesOf = async (sent: Promise<Response>): Promise<string> => {
  const response = await sent.catch((error: unknown) => {
    if (error instanceof TypeError) return error.message
    throw error
  })
  if (typeof response === 'string') return response
  const headers = [...response.headers].filter(([name]) => !ofTheWire.has(name))
  return JSON.stringify([response.status, headers, await response.text().catch(() => null)])
}

it(`the same sequence gives the same bytes in process, over HTTP and through the command, over ${sequences} sequences`, async () => {
  const { 'in process': embedded, asked, ...others } = await startAll()
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      for (const send of [embedded, asked, ...Object.values(others)]) await send('/__admin/reset', { method: 'POST' })
      const documents = new Map<string | null, string>()
      for (const step of sequence.filter(isRepeatable)) {
        const sent = await sentOf(step, asked, documents)
        if (sent === undefined) continue
        const expected = await bytesOf(embedded(sent.path, sent.init))
        await bytesOf(asked(sent.path, sent.init))
        if (step.do === 'control' && step.command === 'exportState')
          documents.set(step.project, (JSON.parse(expected) as [number, object, string])[2])
        for (const [name, send] of Object.entries(others))
          expect(await bytesOf(send(sent.path, sent.init)), `${name}: ${sent.init.method} ${sent.path}`).toBe(expected)
      }
    }),
    { numRuns: sequences },
  )
})

/** Steps without the real time: only the clocks of the projects advance. */
const isRepeatable = (step: Step): step is Exclude<Step, { do: 'tick' }> =>
  step.do !== 'tick' &&
  !(step.do === 'control' && step.command === 'setClock' && JSON.stringify(step.body).includes('real'))

/** The request of a step, with the ids of existing records. */
const sentOf = async (
  step: Exclude<Step, { do: 'tick' }>,
  send: Send,
  documents: ReadonlyMap<string | null, string>,
): Promise<Sent | undefined> => {
  const ids = await idsIn(send)
  if (step.do === 'request') {
    const { path, ...request } = toWireRequest(step, ids)
    // `fetch` would send one of its own.
    return { path, init: initOf({ path, ...request, accept: request.accept ?? '*/*' }) }
  }
  const { method, path } = places(step.command)
  const body =
    step.command === 'loadState'
      ? documents.get(step.project)
      : step.body === null
        ? undefined
        : JSON.stringify(step.body)
  if (step.command === 'loadState' && body === undefined) return undefined
  const scope = step.project === null ? '' : `/projects/${encodeURIComponent(step.project)}`
  const named = path.replace('{id}', encodeURIComponent(targetIn(step, ids)))
  const headers = { 'content-type': 'application/json' }
  return { path: `/__admin${scope}${named}`, init: { method, ...(body !== undefined && { body, headers }) } }
}

const { placeOf: places } = createModel({ now: () => 0, origin })

interface Ids {
  readonly idsOf: (project: string, kind: RecordKind) => readonly string[]
  readonly faults: readonly string[]
}

const idsIn = async (send: Send): Promise<Ids> => {
  const listed = async (path: string): Promise<readonly string[]> => {
    const { items } = (await readJson(send(`/__admin${path}`, {}))) as {
      items: readonly { readonly id: string }[]
    }
    return items.map(({ id }) => id)
  }
  const known = new Map<string, readonly string[]>()
  for (const project of projects) {
    const at = `/projects/${encodeURIComponent(project)}`
    known.set(`${project} user`, await listed(`${at}/users`))
    known.set(`${project} paymentLink`, await listed(`${at}/paymentLinks`))
  }
  return { idsOf: (project, kind) => known.get(`${project} ${kind}`) ?? [], faults: await listed('/faults') }
}

const targetIn = ({ target, project }: ControlStep, { idsOf, faults }: Ids): string => {
  if (typeof target === 'string') return target
  if (typeof target === 'number') return faults[target] ?? 'flt_never'
  const { kind, nth }: Reference = target
  const ids = idsOf(project ?? projects[0], kind)
  return ids[nth % ids.length] ?? 'pml_never'
}
