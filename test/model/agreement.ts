/** Runs the same requests against the model and the mock, and stops at the first difference. */
import { createModel, type Answer, type Json, type Model, type WireRequest } from './model.ts'
import { bytesOf, projects, type Reference, type RequestStep, type Step } from './requests.ts'

/** The mock under test: how requests get to it, and the verbs of a test. A verb answers the code of a refusal. */
export interface Subject {
  /** Where its payment pages live. */
  readonly origin: string
  /** Takes a path, which is still encoded. */
  readonly send: (path: string, init: RequestInit) => Promise<Response>
  readonly control: {
    readonly pay: (project: string, paymentLink: string) => Promise<string>
    readonly cancel: (project: string, paymentLink: string) => Promise<string>
    readonly reset: (project: string) => Promise<void>
  }
}

/** Epoch milliseconds, as the mock and the model are to see them. */
export interface TestClock {
  now: number
}

/** A difference between the mock and the model. */
class Disagreement extends Error {
  override readonly name = 'Disagreement'
}

/** Sends the steps to both, then reads every list to its end. Throws the first `Disagreement`. */
export async function agree(steps: readonly Step[], subject: Subject, clock: TestClock): Promise<void> {
  const model = createModel({ now: () => clock.now, origin: subject.origin })
  const names = createNames()
  for (const [index, step] of [...steps, ...audit].entries()) {
    const [shown, run] = prepare(step, { model, subject, clock, names })
    try {
      // oxlint-disable-next-line no-await-in-loop -- each step starts from what the one before it left
      await run()
    } catch (thrown) {
      const place = index < steps.length ? `Step ${index}` : 'The audit after the last step'
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      throw new Disagreement(`${place} differs.\n${JSON.stringify(shown, null, 2)}\n${reason}`, { cause: thrown })
    }
  }
}

/** Compares a response, whose body has been read, with the answer of the model. Throws when they differ. */
function compare(expected: Answer, response: Response, text: string): void {
  equal('status', expected.status, response.status)
  if (expected.allow !== null)
    equal('Allow', setOf(expected.allow), setOf((response.headers.get('allow') ?? '').split(/, */)))
  if (expected.status === 401)
    equal('WWW-Authenticate', 'Bearer', response.headers.get('www-authenticate')?.split(/[ ,]/)[0])
  if (expected.status !== 204)
    equal('Content-Type', 'application/json', response.headers.get('content-type')?.split(';')[0])
  if (expected.bodiless) return equal('body', '', text)
  const body = JSON.parse(text) as Json
  if (expected.refusal === null) equal('body', expected.body, body)
  else compareError(expected.refusal, body)
}

interface Run {
  readonly model: Model
  readonly subject: Subject
  readonly clock: TestClock
  readonly names: Names
}

/** A step with its references resolved: how to show it, and how to take it. */
function prepare(step: Step, { model, subject, clock, names }: Run): [shown: unknown, run: () => Promise<void>] {
  switch (step.do) {
    case 'advance':
      return [step, async () => void (clock.now += step.milliseconds)]
    case 'reset':
      return [
        step,
        async () => {
          await subject.control.reset(step.project)
          model.reset(step.project)
          names.forget(step.project)
        },
      ]
    case 'pay':
    case 'cancel': {
      const id = resolved(step.paymentLink, step.project, model)
      const verb = step.do
      return [
        { ...step, paymentLink: id },
        async () => {
          const outcome = await subject.control[verb](step.project, id)
          equal<string>(verb, model[verb](step.project, id), outcome)
        },
      ]
    }
    case 'request': {
      const request = wireRequestOf(step, model)
      return [shownRequest(request), () => takeRequest(request, projectIn(step), { model, subject, clock, names })]
    }
  }
}

async function takeRequest(request: WireRequest, project: string, { model, subject, names }: Run): Promise<void> {
  const response = await subject.send(request.path, initOf(request))
  const text = await response.text()
  names.claim('request id', response.headers.get('mock-request-id') ?? '', project)
  // The model cannot know the id of a new row: it takes the one that the mock gave, if that is a good one.
  const learnId = (prefix: 'usr' | 'pml') => {
    if (!response.ok) return ''
    const id = idIn(text)
    if (!new RegExp(`^${prefix}_[A-Za-z0-9_-]{28}$`).test(id))
      differ('id of a new row', `${prefix}_ and 28 characters`, id)
    names.claim('id', id, project)
    return id
  }
  try {
    compare(model.answer(request, learnId), response, text)
  } catch (thrown) {
    throw new Disagreement(`${String(thrown)}\nThe mock answered ${response.status} ${text}`, { cause: thrown })
  }
}

// --- From steps to requests

/** What a step sends. `model` knows the ids that it refers to. */
export function wireRequestOf(step: RequestStep, model: Pick<Model, 'idsOf'>): WireRequest {
  const project = projectIn(step)
  const segments = step.path.map((segment, index) => {
    const name = resolved(segment, project, model)
    return index === step.spelledOut ? spelledOut(name) : name === '%zz' ? name : encodeURIComponent(name)
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
    body: step.body === null ? null : bytesOf(step.body),
  }
}

/** `acme` as `%61cme`, which is the same path. */
function spelledOut(name: string): string {
  const [first = '', ...rest] = name
  return [...new TextEncoder().encode(first)].map(percent).join('') + encodeURIComponent(rest.join(''))
}

function percent(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`
}

function projectIn({ path }: RequestStep): string {
  return typeof path[1] === 'string' ? path[1] : ''
}

function resolved(value: string | Reference, project: string, model: Pick<Model, 'idsOf'>): string {
  if (typeof value === 'string') return value
  const owner = value.project === 'same' ? project : (projects.find((other) => other !== project) ?? project)
  const ids = model.idsOf(owner, value.kind)
  return ids[value.nth % ids.length] ?? (value.kind === 'paymentLink' ? 'pml_never' : 'usr_never')
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

const audit: readonly RequestStep[] = projects.flatMap((project) =>
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
)

// --- Comparing

function compareError(expected: NonNullable<Answer['refusal']>, body: Json): void {
  const error = membersOf(body)
  const optional = ['details', 'hint'].filter((name) => error.has(name))
  equal('members of the error', setOf(['object', 'type', 'code', 'message', ...optional]), setOf([...error.keys()]))
  equal('object', 'error', error.get('object'))
  equal('code', expected.code, error.get('code'))
  equal('type', expected.type, error.get('type'))
  for (const name of ['message', ...optional.filter((name) => name === 'hint')]) sentence(name, error.get(name))
  if (expected.details === 'unspecified') return

  if (expected.details === null) return equal('details', undefined, error.get('details'))
  const details = error.get('details')
  if (!Array.isArray(details)) return differ('details', expected.details, details)
  const problems = (details as readonly Json[]).map(membersOf)
  equal('paths of the details', expected.details.toSorted(), problems.map((problem) => problem.get('path')).toSorted())
  for (const problem of problems) {
    equal('members of a detail', ['message', 'path'], setOf([...problem.keys()]))
    sentence('message of a detail', problem.get('message'))
  }
}

function membersOf(value: Json): Map<string, Json> {
  if (typeof value !== 'object' || value === null) throw new Disagreement(`Not an object: ${JSON.stringify(value)}`)
  return new Map(Object.entries(value))
}

function sentence(what: string, value: Json | undefined): void {
  if (typeof value !== 'string' || value.trim() === '') differ(what, 'a sentence', value)
}

function equal<T>(what: string, expected: T, got: unknown): void {
  if (!isEqual(expected, got)) differ(what, expected, got)
}

function differ(what: string, expected: unknown, got: unknown): never {
  throw new Disagreement(`${what}\nexpected ${JSON.stringify(expected)}\ngot      ${JSON.stringify(got)}`)
}

/** Own members only and all of them, in any order: a member called `__proto__` is one like the others. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))]
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isEqual(value, right.get(key)))
}

function setOf(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted()
}

function idIn(text: string): string {
  try {
    const id: unknown = (JSON.parse(text) as { id?: unknown } | null)?.id
    return typeof id === 'string' ? id : ''
  } catch {
    return ''
  }
}

/** What must be unique: over all projects, until the project it was given in starts again. */
interface Names {
  claim(what: string, name: string, project: string): void
  forget(project: string): void
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
      for (const [name, owner] of owners) if (owner === project) owners.delete(name)
    },
  }
}
