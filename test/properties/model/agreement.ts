/** Runs the same steps against the model and the mock, and stops at the first difference. */
import { compare, differ, Disagreement, equal, parsed, received, type Received } from './comparing.ts'
import { isObject, type Json } from './formats.ts'
import {
  createModel,
  type ModelResponse,
  type LearnId,
  type Model,
  type RecordKind,
  type WireRequest,
} from './model.ts'
import { toBytes, projects, type Reference, type RequestStep } from './requests.ts'
import type { ControlStep } from './control-steps.ts'
import type { Step } from './steps.ts'
import { readJson } from '../../support/read.ts'

/** The mock under test, and its transport. */
export interface Subject {
  /** The origin of its payment pages. */
  readonly origin: string
  /** Sends a request to an encoded path. */
  readonly send: (path: string, init: RequestInit) => Promise<Response>
  /** The default `Accept` header. */
  readonly acceptsByDefault: string | null
  /** The summaries of all projects. */
  readonly summaries: () => Promise<unknown>
}

/** The time for the mock and the model, in epoch milliseconds. */
export interface TestClock {
  now: number
}

/** Sends the steps to both, then reads everything. Throws the first `Disagreement`. */
export async function agree(steps: readonly Step[], subject: Subject, clock: TestClock): Promise<void> {
  const model = createModel({ now: () => clock.now, origin: subject.origin })
  const run: Run = { model, subject, clock, names: createNames(), documents: new Map() }
  for (const [index, step] of [...steps, ...audit].entries()) {
    const [shown, take] = prepare(step, run)
    try {
      // oxlint-disable-next-line no-await-in-loop -- each step starts from what the one before it left
      await take()
      // A call for one project leaves all others unchanged.
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (!isReading(step)) equal('projects', getItems(model.control(summaries, () => '')), await subject.summaries())
    } catch (thrown) {
      const place = index < steps.length ? `Step ${index}` : 'The audit after the last step'
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      throw new Disagreement(`${place} differs.\n${JSON.stringify(shown, null, 2)}\n${reason}`, { cause: thrown })
    }
  }
}

interface Run {
  readonly model: Model
  readonly subject: Subject
  readonly clock: TestClock
  readonly names: Names
  /** The last export of each project and of all. */
  readonly documents: Map<string | null, string>
}

/** A step with resolved references: its text, and its execution. */
function prepare(step: Step, run: Run): [shown: unknown, take: () => Promise<void>] {
  switch (step.do) {
    case 'tick':
      return [step, async () => void (run.clock.now += step.milliseconds)]
    case 'control': {
      const { path } = run.model.placeOf(step.command)
      const call = { ...step, path, id: getTarget(step, run.model) }
      return [call, () => control(run, call)]
    }
    case 'request': {
      const request = toWireRequest(step, run.model)
      return [shownRequest(request), () => takeRequest(request, projectIn(step), run)]
    }
  }
}

async function takeRequest(sent: WireRequest, project: string, { model, subject, names }: Run): Promise<void> {
  const got = await received(subject.send(sent.path, initOf(sent)))
  // Outside of the mocked API, a browser gets a page, which the model does not have.
  const isPage = got.headers?.get('content-type')?.startsWith('text/html') === true
  if (isPage && got.status === 404 && !sent.path.startsWith('/projects/')) return
  if (!got.isBroken) names.claim('request id', got.headers.get('mock-request-id') ?? '', project)
  const request = { ...sent, accept: sent.accept ?? subject.acceptsByDefault }
  // A fault may have dropped the response and kept the created record, or delivered the request twice.
  const isFaulty = sent.method === 'POST' && (idIn(got.text) === undefined || got.headers.has('mock-fault'))
  const made = isFaulty ? await unknownIds(subject, model, project) : []
  try {
    compare(model.respond(request, learning(got, made)), got)
  } catch (thrown) {
    throw new Disagreement(`${String(thrown)}\nThe mock returned ${got.status} ${got.text}`, { cause: thrown })
  }
}

/** The model cannot know the ids of new records, so it adopts those of the mock if they are valid, the oldest first. */
const learning = ({ text }: Received, made: readonly string[]): LearnId => {
  const left = [...made]
  return (prefix) => {
    const next = left.findIndex((one) => one.startsWith(prefix))
    const id = next >= 0 ? left.splice(next, 1)[0]! : (idIn(text) ?? '')
    if (!new RegExp(`^${prefix}_[A-Za-z0-9_-]{28}$`).test(id)) differ('new id', `${prefix}_ and 28 characters`, id)
    return id
  }
}

async function unknownIds(subject: Subject, model: Model, project: string): Promise<readonly string[]> {
  // No path without a project creates a record.
  if (project === '') return []
  const lists = ['users', 'paymentLinks'].map(async (list) => {
    const response = await subject.send(`/__admin/projects/${encodeURIComponent(project)}/${list}`, {})
    const { items } = (await readJson(response)) as { readonly items: readonly { readonly id: string }[] }
    return items.map(({ id }) => id)
  })
  const known = new Set([...model.idsOf(project, 'user'), ...model.idsOf(project, 'paymentLink')])
  // The lists have the newest first.
  return (await Promise.all(lists))
    .flat()
    .filter((id) => !known.has(id))
    .toReversed()
}

type Call = Pick<ControlStep, 'command' | 'project' | 'body'> & { readonly path: string; readonly id: string }

/** Sends a control call to both. */
async function control(
  { model, subject, names, documents }: Run,
  { command, project, path, id, body }: Call,
): Promise<void> {
  // A load needs an earlier export.
  if (command === 'loadState' && !documents.has(project)) return
  const { method } = model.placeOf(command)
  const scope = project === null ? '' : `/projects/${encodeURIComponent(project)}`
  const sent = command === 'loadState' ? documents.get(project)! : body === null ? null : JSON.stringify(body)
  const given = await received(
    subject.send(`/__admin${scope}${path.replace('{id}', encodeURIComponent(id))}`, {
      method,
      ...(sent !== null && { body: sent, headers: { 'content-type': 'application/json' } }),
    }),
  )
  // The hash of a token is opaque.
  const got = command === 'setTokens' ? { ...given, text: given.text!.replaceAll(/"hash":"\w+",/g, '') } : given
  const expected = model.control({ command, project, id, body }, learning(got, []))
  // The ids of requests start again.
  if (command === 'reset') names.forget(project)
  try {
    if (command === 'exportState') documents.set(project, got.text!)
    else if (command === 'setBehaviors') compareBehaviors(expected, got)
    else compare(expected, got)
    // Scheduled payments may be due by now, and change the state.
    if (command === 'loadState' && !sent!.includes('"scheduledPayments"')) await staysEqual(subject, scope, sent!)
  } catch (thrown) {
    throw new Disagreement(`${String(thrown)}\nThe mock returned ${got.status} ${got.text}`, { cause: thrown })
  }
}

/** Export, import, export: the same bytes. */
async function staysEqual(subject: Subject, scope: string, loaded: string): Promise<void> {
  equal('the export of what was loaded', loaded, await (await subject.send(`/__admin${scope}/state`, {})).text())
}

/** The mock has behaviors that the model does not have. */
function compareBehaviors({ body: expected }: ModelResponse, { text }: Received): void {
  const { values } = parsed(text) as { readonly values: { readonly [key: string]: Json } }
  for (const [key, value] of Object.entries(expected as object)) equal(key, value as unknown, values[key])
}

function getTarget({ target, project }: ControlStep, model: Model): string {
  if (typeof target === 'string') return target
  if (typeof target === 'number') return model.idsOf('', 'fault')[target] ?? 'flt_never'
  return resolved(target, project ?? projects[0], model)
}

// --- From steps to requests

type Ids = { readonly idsOf: (project: string, kind: RecordKind) => readonly string[] }

/** The request of a step. `model` resolves the referenced ids. */
export function toWireRequest(step: RequestStep, model: Ids): WireRequest {
  const project = projectIn(step)
  const segments = step.path.map((segment, index) => {
    const name = resolved(segment, project, model)
    return index === step.spelledOut ? formatStep(name) : name === '%zz' ? name : encodeURIComponent(name)
  })
  const query = step.query.map(([name, value]) =>
    value === null ? name : `${encodeURIComponent(name)}=${encodeURIComponent(resolved(value, project, model))}`,
  )
  return {
    method: step.method,
    path: `/${segments.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    authorization: step.authorization,
    accept: step.accept,
    contentType: step.contentType,
    body: step.body === null ? null : toBytes(step.body),
  }
}

/** `acme` as `%61cme`, which is the same path. */
function formatStep(name: string): string {
  const [first = '', ...rest] = name
  return [...new TextEncoder().encode(first)].map(percent).join('') + encodeURIComponent(rest.join(''))
}

function percent(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`
}

function projectIn({ path }: RequestStep): string {
  return typeof path[1] === 'string' ? path[1] : ''
}

function resolved(value: string | Reference, project: string, model: Ids): string {
  if (typeof value === 'string') return value
  const owner = value.project === 'same' ? project : (projects.find((other) => other !== project) ?? project)
  const ids = model.idsOf(owner, value.kind)
  return ids[value.nth % ids.length] ?? (value.kind.toLowerCase().endsWith('user') ? 'usr_never' : 'pml_never')
}

/** Bytes, because `fetch` invents a content type for a string. */
export function initOf({ method, authorization, accept, contentType, body }: WireRequest): RequestInit {
  const headers = new Headers()
  if (accept !== null) headers.set('accept', accept)
  if (authorization !== null) headers.set('authorization', authorization)
  if (contentType !== null) headers.set('content-type', contentType)
  return { method, headers, ...(body !== null && { body: body as Uint8Array<ArrayBuffer> }) }
}

function shownRequest({ body, ...request }: WireRequest): unknown {
  return { ...request, body: body === null ? null : new TextDecoder().decode(body.subarray(0, 2000)) }
}

const summaries = { do: 'control', command: 'readSummaries', project: null, target: '', id: '', body: null } as const
const isReading = (step: Step) => step.do === 'request' && ['GET', 'HEAD'].includes(step.method)
const getItems = ({ body }: ModelResponse): unknown => (body as { readonly items: unknown }).items

/** Scheduled payments, faults, snapshots and every complete list. Lists come last, because a fault may apply to them. */
const audit: readonly Step[] = [
  summaries,
  { ...summaries, command: 'setTokens', body: { tokens: [] } },
  { ...summaries, command: 'listScheduledPayments' },
  { ...summaries, command: 'listFaults' },
  { ...summaries, command: 'listSnapshots' },
  { ...summaries, command: 'readClock' },
  ...projects.flatMap((project) =>
    ['users', 'paymentLinks'].map((list) => ({
      do: 'request' as const,
      method: 'GET',
      path: ['projects', project, list],
      spelledOut: null,
      query: [['limit', '200']] as const,
      authorization: 'Bearer token',
      accept: 'application/json',
      contentType: null,
      body: null,
    })),
  ),
]

function idIn(text: string | null): string | undefined {
  const body = parsed(text)
  const id = isObject(body ?? null) ? (body as { readonly id?: Json }).id : undefined
  return typeof id === 'string' ? id : undefined
}

/** Unique names: over all projects, until their project starts again. */
interface Names {
  claim(what: string, name: string, project: string): void
  /** Null: those of all projects. */
  forget(project: string | null): void
}

function createNames(): Names {
  const owners = new Map<string, string>()
  return {
    claim(what, name, project) {
      if (name === '') throw new Disagreement(`There is no ${what}.`)
      if (owners.has(name)) throw new Disagreement(`The ${what} '${name}' was given before.`)
      owners.set(name, project)
    },
    forget(project) {
      for (const [name, owner] of owners) if (project === null || owner === project) owners.delete(name)
    },
  }
}
