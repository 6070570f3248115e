// Proves: Model agreement, Same on every transport.
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createMock, type MockOptions } from '../../../src/node/index.ts'
import { startCli } from '../../cli/support/cli.ts'
import { readJson } from '../../support/read.ts'
import { anyRequest, initOf } from '../requests.ts'
import { type Call, createModel, type LearnId, type Model, routes } from './model.ts'
import { projects, type Reference, type Step, steps } from './steps.ts'

// MODEL_SEQUENCES=200000 for a longer run.
const sequences = Number(process.env.MODEL_SEQUENCES ?? 7)
const transportSequences = Number(process.env.TRANSPORT_SEQUENCES ?? 1)

type Send = (path: string, init?: RequestInit) => Promise<Response>

const headers = { authorization: 'Bearer token', accept: 'application/json' }

const toRequest = ({ command, project, id, query, body }: Call): [path: string, init: RequestInit] => {
  const [method = '', route = ''] = routes[command].split(' ')
  const scope = project === null ? '' : `/${encodeURIComponent(project)}`
  const path = route
    .replace(/projects@(?=$)/, `projects${scope}`)
    .replace('/projects@', project === null ? '' : `/projects${scope}`)
    .replace('{id}', encodeURIComponent(id))
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
  const init = { method, headers: { ...headers, ...(hasBody && { 'content-type': 'application/json' }) } }
  return [
    `${path}?${String(new URLSearchParams(query))}`.replace(/\?$/, ''),
    { ...init, ...(hasBody && { body: JSON.stringify(body) }) },
  ]
}

const getId = ({ kind, isDeleted, nth }: Reference, name: string, { idsOf }: Pick<Model, 'idsOf'>): string => {
  const ids = idsOf(name, kind, isDeleted)
  return ids[nth % ids.length] ?? (kind === 'users' ? 'usr_never' : 'pml_never')
}

/** A step with the ids of existing records. */
const toCall = ({ tick: _, ...step }: Step, model: Pick<Model, 'idsOf'>): Call => {
  const resolve = (value: string | Reference) =>
    typeof value === 'string' ? value : getId(value, step.project ?? projects[0], model)
  const query = Object.fromEntries(Object.entries(step.query).map(([name, value]) => [name, resolve(value)]))
  return { ...step, id: resolve(step.id), query }
}

/** The model cannot know the ids of new records, so it adopts those of the mock: last the one that the response shows. */
const learnIds = async (send: Send, model: Model, { project, command }: Call, text: string): Promise<LearnId> => {
  const left: string[] = []
  if (/^(?:create|insert)/.test(command))
    for (const kind of ['users', 'paymentLinks'] as const) {
      const known = model.idsOf(project!, kind)
      const { items } = await readJson(send(`/__admin/projects/${encodeURIComponent(project!)}/${kind}?limit=200`))
      left.push(...items.map(({ id }: { id: string }) => id).filter((id: string) => !known.includes(id)))
    }
  left.sort((a, b) => Number(text.includes(`"${a}"`)) - Number(text.includes(`"${b}"`)))
  return (prefix) => {
    const index = left.findIndex((id) => new RegExp(`^${prefix}_[A-Za-z0-9_-]{28}$`).test(id))
    if (index < 0) throw new Error(`There is no new id of ${prefix}: ${text}`)
    return left.splice(index, 1)[0]!
  }
}

/** The last calls read everything. Lists come last, because their behaviors may be set. */
const audit = [
  { command: 'listScheduledPayments', project: null },
  { command: 'listSnapshots', project: null },
  ...projects.flatMap((project) => [
    { command: 'listUsers', project, query: { limit: '200' } },
    { command: 'listPaymentLinks', project, query: { limit: '200' } },
  ]),
].map((step) => ({ id: '', query: {}, body: {}, tick: 0, ...step }) as Step)

const summaries: Call = { command: 'listProjects', project: null, id: '', query: {}, body: {} }

/** Sends the steps to both, then reads everything. Throws at the first difference. */
const agree = async (sequence: readonly Step[], clock: { now: number }, send: Send, origin: string): Promise<void> => {
  const model = createModel({ now: () => clock.now, origin })
  const compare = async (call: Call): Promise<void> => {
    const response = await send(...toRequest(call))
    const text = await response.text()
    const expected = model.respond(call, await learnIds(send, model, call, text))
    const body = text === '' ? undefined : JSON.parse(text)
    const isSame =
      response.status === expected.status &&
      (expected.status >= 400
        ? expected.code === undefined || expected.code === body.code
        : expected.body === undefined || isDeepStrictEqual(body, JSON.parse(JSON.stringify(expected.body))))
    if (!isSame) throw new Error(`Expected ${JSON.stringify(expected)}, and received ${response.status} ${text}`)
  }
  for (const step of [...sequence, ...audit]) {
    clock.now += step.tick
    const call = toCall(step, model)
    try {
      await compare(call)
      // A call for one project leaves all others unchanged.
      await compare(summaries)
    } catch (thrown) {
      throw new Error(`${JSON.stringify(call)}\n${String(thrown)}`, { cause: thrown })
    }
  }
}

it.each([
  ['in process', Math.round(sequences * 0.9)],
  ['over HTTP', Math.round(sequences * 0.1)],
])('the mock agrees with the model, %s, over %i sequences', async (transport, numRuns) => {
  const property = fc.asyncProperty(steps, async (sequence) => {
    const clock = { now: Date.UTC(2025, 0, 1) }
    await using mock = createMock({ now: () => clock.now })
    if (transport === 'in process')
      return agree(sequence, clock, async (path, init) => mock.fetch(path, init), 'http://mock')
    const { url } = await mock.listen({ port: 0 })
    await agree(sequence, clock, (path, init) => fetch(url + path, init), url)
  })
  await fc.assert(property, { numRuns })
})

/** Every byte of a response; null for an incomplete one, and the message of `fetch` without one. */
const bytesOf = async (sent: Promise<Response>): Promise<string> => {
  const response = await sent.catch((error: unknown) => {
    if (error instanceof TypeError) return error.message
    throw error
  })
  if (typeof response === 'string') return response
  const ofTheWire = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])
  const own = [...response.headers].filter(([name]) => !ofTheWire.has(name))
  return JSON.stringify([response.status, own, await response.text().catch(() => null)])
}

it(`the same calls get the same bytes in process, over HTTP and from the command line, over ${transportSequences} sequences`, async () => {
  const publicUrl = 'http://mock.example'
  const options = { clock: 'stepping', publicUrl, idSeed: 'transports' } satisfies MockOptions
  // Reading a project completes its due payments, so a separate mock is used to look up ids.
  const [embedded, asked, listening] = [createMock(options), createMock(options), createMock(options)]
  for (const mock of [embedded, asked, listening]) onTestFinished(() => mock.close())
  const { url } = await listening.listen()
  const flags = ['--clock', 'stepping', '--public-url', publicUrl, '--id-seed', options.idSeed]
  const command = await startCli(['--log', 'silent', '--seed', 'fixtures/empty.json', ...flags])
  const inProcess: Send = async (path, init) => embedded.fetch(publicUrl + path, init)
  const others: readonly Send[] = [
    async (path, init) => asked.fetch(publicUrl + path, init),
    (path, init) => fetch(url + path, init),
    (path, init) => fetch(command.url + path, init),
  ]
  const compare = async (path: string, init?: RequestInit): Promise<void> => {
    const expected = await bytesOf(inProcess(path, init))
    for (const send of others) expect(await bytesOf(send(path, init)), `${init?.method} ${path}`).toBe(expected)
  }
  // Without the time of the machine: only the clocks of the projects advance.
  const isRepeatable = ({ command: name, body }: Step) => name !== 'setClock' || body['mode'] !== 'real'
  const property = fc.asyncProperty(steps, fc.array(anyRequest, { maxLength: 20 }), async (sequence, requests) => {
    await compare('/__admin/reset', { method: 'POST' })
    for (const step of sequence.filter(isRepeatable)) {
      const project = step.project ?? projects[0]
      const ids = {
        users: (await asked.project(project).users.list({ limit: 200 })).items.map(({ id }) => id),
        paymentLinks: (await asked.project(project).paymentLinks.list({ limit: 200 })).items.map(({ id }) => id),
      }
      await compare(...toRequest(toCall(step, { idsOf: (_, kind) => ids[kind] })))
    }
    for (const { accept, ...request } of requests)
      // `fetch` would send one of its own.
      await compare(request.path, initOf({ ...request, accept: accept ?? '*/*' }))
  })
  await fc.assert(property, { numRuns: transportSequences })
})
