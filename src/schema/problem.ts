import type { z } from 'zod/mini'
import { findNearest, shorten } from './text.ts'
import { hidePassword } from './url.ts'

/** One problem: its path, and a message that says which value is valid. */
export interface Problem {
  /** The field, such as `paymentLinks[3].invoice`. */
  readonly path: string
  /** The problem, and a valid value. */
  readonly message: string
}

/** The maximum number of reported problems. One more is collected, to know whether the list is complete. */
export const maxProblems = 1000

/** The parsed value, or all of its problems. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: Problem[] }

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** The names of fields come from clients, and may be as long as a body. */
const maxName = 100

/** Formats a path: `projects.acme.paymentLinks[3].completedAt`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    const name = shorten(String(part), maxName)
    return text === '' ? name : `${text}.${name}`
  }, '')

/** Quotes a value in a message, without the password of a URL. */
export const quote = (value: unknown): string => {
  if (typeof value === 'string') return `'${shorten(hidePassword(value), 40)}'`
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return withArticle(getClassName(value) ?? 'object')
  if (typeof value === 'function') return 'a function'
  return shorten(String(value), 40)
}

const withArticle = (noun: string): string => `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${shorten(noun, 40)}`

/** Returns the name of the class of an object. Undefined: it is a literal, also if another realm created it. */
const getClassName = (value: object): string | undefined => {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined
  return prototype.constructor.name || undefined
}

/** Returns false for an object such as a `Map` or a `Promise`, which has a class and no fields. JSON would make it `{}`. */
export const isData = (value: object): boolean =>
  Array.isArray(value) || getClassName(value) === undefined || Object.keys(value).length > 0

const matcherMessage =
  'must be JSON: asymmetric matchers such as expect.any() cannot be matched; name only the fields that must be equal.'

/** Lists the parts of a value that JSON would change or drop silently. Fields that are undefined are no problem. */
export const listJsonProblems = (value: unknown): Problem[] => {
  const problems: Problem[] = []
  // One mutable path for the whole search: a path for each field would be slow.
  const at: PropertyKey[] = []
  const report = (requirement: string): void => {
    const path = formatPath(at)
    problems.push({ path, message: `${path || 'The value'} ${requirement}` })
  }
  /** Whether the object is a parent of the current one. */
  const isParent = new Map<object, boolean>()
  const visit = (value: unknown): void => {
    if (typeof value === 'number' && !Number.isFinite(value)) report(`must be a finite number (got ${value}).`)
    else if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function')
      report(`must be JSON (got a ${typeof value}).`)
    // The mock rejects a deeper body.
    else if (typeof value === 'object' && value !== null && at.length <= 64) visitObject(value)
  }
  const visitObject = (value: { readonly [method in 'toJSON' | 'asymmetricMatch' | 'then']?: unknown }): void => {
    if (isParent.get(value)) return report('must not contain itself.')
    // An object that appears again has been checked. Others, such as dates, convert themselves.
    if (isParent.has(value) || typeof value.toJSON === 'function') return
    if (typeof value.asymmetricMatch === 'function') return report(matcherMessage)
    if (typeof value.then === 'function') return report(`must be JSON (got ${quote(value)}: await it).`)
    if (!isData(value)) return report(`must be JSON (got ${quote(value)}).`)
    isParent.set(value, true)
    for (const [name, item] of Object.entries(value)) {
      at.push(Array.isArray(value) ? Number(name) : name)
      visit(item)
      at.pop()
    }
    isParent.set(value, false)
  }
  visit(value)
  return problems
}

/** Quotes a name, an id or a header in a message. Unlike `quote`, it shows every usual one whole. */
export const quoteName = (name: string): string => `'${shorten(name, 100)}'`

/** Lists values: `'a', 'b' or 'c'`. */
export const formatList = (values: readonly unknown[]): string => {
  const texts = values.map(quote)
  return texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

/** Formats an amount: `1 user`, `2 users`. */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const articles: Record<string, string> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  int: 'an integer',
  boolean: 'true or false',
}

/** Describes the expected value, for schemas without a message of their own. */
const describeExpectation = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${articles[issue.expected] ?? `a ${issue.expected}`}`
    case 'invalid_value':
      return `must be ${formatList(issue.values)}`
    case 'invalid_union':
      return 'must have one of the documented forms'
    case 'too_small':
      if (issue.minimum === 1 && getSizeUnit(issue.origin) !== '') return 'must not be empty'
      return `must be at least ${issue.minimum}${getSizeUnit(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${getSizeUnit(issue.origin)}`
    default:
      return 'has an invalid form'
  }
}

const getSizeUnit = (origin: string | undefined) =>
  origin === 'string' ? ' characters long' : origin === 'array' ? ' items long' : ''

/** Lists the problems of an issue. For a union, lists those of the only option with the type and the fields of the value, if any. */
const listIssueProblems = (issue: Issue, at: Path): Problem[] => {
  if (issue.code !== 'invalid_union' || issue.discriminator !== undefined) return [toProblem(issue, at)]
  const options = issue.errors.filter((issues) => !issues.some((one) => isOfAnotherType(one, issue.input)))
  const complete = options.filter((issues) => issues.every((one) => getRejectedValue(one) !== undefined))
  const [meant, ...others] = options.length > 1 ? complete : options
  if (meant === undefined || others.length > 0) return [toProblem(issue, at)]
  return meant.flatMap((one) => listIssueProblems(one, [...at, ...issue.path]))
}

const isOfAnotherType = ({ code, path, ...issue }: Issue, value: unknown): boolean =>
  code === 'invalid_type' && path.length === 0 && !(typeof value === 'number' && 'format' in issue)

const toProblem = (issue: Issue, at: Path): Problem => {
  const path = formatPath([...at, ...issue.path])
  // The message of a cross-field check is complete.
  if (issue.code === 'custom' && issue.params?.rule === true)
    return { path, message: `${path || 'The value'} ${issue.message}` }
  const name = path || 'The value'
  if (issue.code === 'invalid_key')
    return describeInvalidName([...at, ...issue.path], issue.issues.map(({ message }) => message).join(' and '))
  const got = getRejectedValue(issue)
  if (got === undefined) return { path, message: `${name} is required.` }
  if (isSecretPath(path)) return { path, message: `${name} ${issue.message}.` }
  return { path, message: `${name} ${issue.message} (got ${quote(got)}).` }
}

/** Returns the rejected value. For a discriminated union, returns the discriminator. */
const getRejectedValue = (issue: Issue): unknown =>
  issue.code === 'invalid_union' && issue.discriminator !== undefined
    ? Reflect.get(Object(issue.input), issue.discriminator)
    : issue.input

/** Returns true if the value at this path can be or contain a secret. No message quotes it. */
export const isSecretPath = (path: string): boolean => /(?:^|[._-]|admin)(?:tokens?|headers)(?:[.[]|$)/i.test(path)

// An invalid name among secrets may be a secret itself.
const describeInvalidName = (at: Path, message: string): Problem => {
  const path = formatPath(at)
  const parent = formatPath(at.slice(0, -1))
  if (isSecretPath(path)) return { path: parent, message: `${parent} has an invalid name: it ${message}.` }
  return { path, message: `${parent} has the invalid name ${quote(at.at(-1))}: it ${message}.` }
}

/** What a message calls a part of an object. */
export type FieldNoun = 'field' | 'parameter'

/** Describes an unknown field, and suggests the objects that have it, or else the nearest known name. */
export const describeUnknownField = (
  at: readonly PropertyKey[],
  key: string,
  known: readonly string[],
  places: readonly string[] = [],
  noun: FieldNoun = 'field',
): Problem => {
  const path = formatPath([...at, key])
  const start = `${path} is not a ${noun} here;`
  if (places.length > 0) return { path, message: `${start} put it into ${places.join(' or ')}.` }
  const meant = findNearest(key, known)
  if (meant !== undefined) return { path, message: `${start} did you mean '${meant}'?` }
  if (known.length === 0) return { path, message: `${start} no ${noun}s are allowed.` }
  const fields = `the ${noun}s are ${known.join(', ')}.`
  // If every field is secret, the unknown name may be a secret itself.
  if (!known.every((name) => isSecretPath(formatPath([...at, name])))) return { path, message: `${start} ${fields}` }
  const parent = formatPath(at)
  return { path: parent, message: `${parent || 'The value'} has an unknown field; ${fields}` }
}

/** The problems of a rejected value, up to the maximum. `at` is the path of the value. */
export const listProblems = (error: { readonly issues: readonly Issue[] }, at: Path = []): Problem[] =>
  error.issues.slice(0, maxProblems + 1).flatMap((issue) => listIssueProblems(issue, at))

/** Parses a value with a schema. Returns all problems at once. */
export const parse = <S extends z.ZodMiniType>(schema: S, value: unknown, at: Path = []): Parsed<z.output<S>> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  // Messages double the cost of a parse, so only an invalid value is parsed with them.
  const { error = parsed.error } = schema.safeParse(value, { reportInput: true, error: describeExpectation })
  return { ok: false, problems: listProblems(error, at) }
}

/** Returns the message of one problem, or a summary of several. */
export const formatProblems = (what: string, problems: readonly Problem[]): string => {
  const [only, ...others] = problems
  if (only !== undefined && others.length === 0) return only.message
  const shown = problems.slice(0, 5).map((problem) => problem.message.replace(/\.$/, ''))
  const isEndless = problems.length > maxProblems
  const count = isEndless ? `more than ${maxProblems}` : problems.length
  const left = isEndless ? 'many' : problems.length - shown.length
  const more = left === 0 ? '' : `; and ${left} more`
  return `${what} has ${count} problems: ${shown.join('; ')}${more}.`.replace(/\?\.$/, '?')
}

/** Returns the problems of a query. For a repeated parameter, reports only the repetition. */
export const simplifyQueryProblems = (
  { shape }: z.ZodMiniObject,
  sent: object,
  problems: readonly Problem[],
): Problem[] =>
  problems.map((problem) => {
    const { path } = problem
    const values: unknown = Object.hasOwn(shape, path) ? Reflect.get(sent, path) : undefined
    if (!Array.isArray(values)) return problem
    return { path, message: `${path} must be given once (got ${values.length} values).` }
  })
