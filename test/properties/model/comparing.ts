/** Compares the responses of the mock with those of the model. */
import type { Json } from './formats.ts'
import type { ModelResponse } from './model.ts'

/** A difference between the mock and the model. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement'
}

/** A response of the mock; `text` is null for an incomplete body. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string | null
  readonly isBroken: boolean
}

/** Reads a response; a broken connection becomes `Response.error()`. */
export async function received(sent: Promise<Response>): Promise<Received> {
  const response = await sent.catch((error: unknown) => {
    if (error instanceof TypeError && error.cause !== undefined) return Response.error()
    throw error
  })
  const { status, headers } = response
  const isBroken = response.type === 'error'
  return { status, headers, text: await response.text().catch(() => null), isBroken }
}

/** Compares a response with that of the model. Throws when they differ. */
export function compare(expected: ModelResponse, { status, headers, text, isBroken }: Received): void {
  equal('broken connection', expected.isBroken, isBroken)
  if (isBroken) return
  equal('status', expected.status, status)
  if (expected.allow !== null) equal('Allow', setOf(expected.allow), setOf((headers.get('allow') ?? '').split(/, */)))
  if (expected.error?.type === 'unauthenticated')
    equal('WWW-Authenticate', 'Bearer', headers.get('www-authenticate')?.split(/[ ,]/)[0])
  const assumed = headers.get('mock-assumed') ?? ''
  if (expected.assumesFreshness !== null)
    equal('listFreshness in Mock-Assumed', expected.assumesFreshness, assumed.includes('listFreshness='))
  for (const [name, value] of Object.entries(expected.headers)) equal(name, value, headers.get(name))
  const isProblem = expected.error !== null && expected.format === 'problem'
  const type = `application/${isProblem ? 'problem+json' : 'json'}`
  if (expected.status !== 204) equal('Content-Type', type, headers.get('content-type')?.split(';')[0])
  // Assumed: a response without a body may be truncated or not.
  if (expected.bodiless) return equal('body', '', text ?? '')
  if (expected.spoiled === 'truncated') return equal('body', null, text)
  if (expected.spoiled === 'empty') return equal('body', '', text)
  if (expected.spoiled === 'malformed') return equal('parsed', undefined, parsed(text))
  const body = parsed(text)
  if (body === undefined) return differ('body', 'JSON', text)
  if (expected.error === null) equal('body', expected.body, body)
  else if (isProblem) compareProblem(expected.error, status, body)
  else compareError(expected.error, body)
}

export function parsed(text: string | null): Json | undefined {
  try {
    return JSON.parse(text ?? '') as Json
  } catch {
    return undefined
  }
}

function compareError(expected: NonNullable<ModelResponse['error']>, body: Json): void {
  const error = readMembers(body)
  const optional = ['details', 'hint'].filter((name) => error.has(name))
  equal('members of the error', setOf(['object', 'type', 'code', 'message', ...optional]), setOf([...error.keys()]))
  equal('object', 'error', error.get('object'))
  equal('code', expected.code, error.get('code'))
  equal('type', expected.type, error.get('type'))
  for (const name of ['message', ...optional.filter((name) => name === 'hint')]) sentence(name, error.get(name))
  compareDetails(expected, error)
}

/** RFC 9457, section 3.1, with extension members named like those of the error object. */
function compareProblem(expected: NonNullable<ModelResponse['error']>, status: number, body: Json): void {
  const problem = readMembers(body)
  const optional = ['details', 'hint'].filter((name) => problem.has(name))
  const members = ['type', 'title', 'status', 'detail', 'code', ...optional]
  equal('members of the problem', setOf(members), setOf([...problem.keys()]))
  equal('code', expected.code, problem.get('code'))
  equal('status', status, problem.get('status'))
  for (const name of ['type', 'title', 'detail']) sentence(name, problem.get(name))
  compareDetails(expected, problem)
}

function compareDetails(expected: NonNullable<ModelResponse['error']>, error: Map<string, Json>): void {
  if (expected.details === 'unspecified') return

  if (expected.details === null) return equal('details', undefined, error.get('details'))
  const details = error.get('details')
  if (!Array.isArray(details)) return differ('details', expected.details, details)
  const problems = (details as readonly Json[]).map(readMembers)
  equal('paths of the details', expected.details.toSorted(), problems.map((problem) => problem.get('path')).toSorted())
  for (const problem of problems) {
    equal('members of a detail', ['message', 'path'], setOf([...problem.keys()]))
    sentence('message of a detail', problem.get('message'))
  }
}

function readMembers(value: Json): Map<string, Json> {
  if (typeof value !== 'object' || value === null) throw new Disagreement(`Not an object: ${JSON.stringify(value)}`)
  return new Map(Object.entries(value))
}

function sentence(what: string, value: Json | undefined): void {
  if (typeof value !== 'string' || value.trim() === '') differ(what, 'a sentence', value)
}

export function equal<T>(what: string, expected: T, got: unknown): void {
  if (!isEqual(expected, got)) differ(what, expected, got)
}

export function differ(what: string, expected: unknown, got: unknown): never {
  throw new Disagreement(`${what}\nexpected ${JSON.stringify(expected)}\ngot      ${JSON.stringify(got)}`)
}

/** All own members in any order, including one called `__proto__`. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))]
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isEqual(value, right.get(key)))
}

function setOf(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted()
}
