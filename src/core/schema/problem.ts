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

type ZodIssue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Names of fields come from clients, and may be as long as a body. */
const maxFieldName = 100

/** Formats a path: `projects.acme.paymentLinks[3].completedAt`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    const name = shorten(String(part), maxFieldName)
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

/** Returns the name of the class of an object. Undefined: it is a literal, even if another realm created it. */
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
  // One mutable path for the whole search, because a path for each field would be slow.
  const currentPath: PropertyKey[] = []
  const reportProblem = (requirement: string): void => {
    const path = formatPath(currentPath)
    problems.push({ path, message: `${path || 'The value'} ${requirement}` })
  }
  /** Maps each visited object to true while it contains the current one, then to false. */
  const isParent = new Map<object, boolean>()
  const checkValue = (value: unknown): void => {
    if (typeof value === 'number' && !Number.isFinite(value)) reportProblem(`must be a finite number (got ${value}).`)
    else if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function')
      reportProblem(`must be JSON (got a ${typeof value}).`)
    // The mock rejects a deeper body.
    else if (typeof value === 'object' && value !== null && currentPath.length <= 64) checkObject(value)
  }
  const checkObject = (value: { readonly [method in 'toJSON' | 'asymmetricMatch' | 'then']?: unknown }): void => {
    if (isParent.get(value)) return reportProblem('must not contain itself.')
    // Other objects, such as dates, convert themselves.
    if (isParent.has(value) || typeof value.toJSON === 'function') return
    if (typeof value.asymmetricMatch === 'function') return reportProblem(matcherMessage)
    if (typeof value.then === 'function') return reportProblem(`must be JSON (got ${quote(value)}: await it).`)
    if (!isData(value)) return reportProblem(`must be JSON (got ${quote(value)}).`)
    isParent.set(value, true)
    for (const [name, item] of Object.entries(value)) {
      currentPath.push(Array.isArray(value) ? Number(name) : name)
      checkValue(item)
      currentPath.pop()
    }
    isParent.set(value, false)
  }
  checkValue(value)
  return problems
}

/** Unlike `quote`, it shows every usual name, id or header whole. */
export const quoteName = (name: string): string => `'${shorten(name, 100)}'`

/** Lists values: `'a', 'b' or 'c'`. */
export const formatList = (values: readonly unknown[]): string => {
  const texts = values.map(quote)
  return texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** For example `2 users, 1 payment link`. */
export const formatCounts = ({ users, paymentLinks }: Readonly<Record<'users' | 'paymentLinks', number>>): string =>
  `${pluralize(users, 'user')}, ${pluralize(paymentLinks, 'payment link')}`

const typeArticles: Record<string, string> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  int: 'an integer',
  boolean: 'true or false',
}

/** For schemas without a message of their own. */
const describeExpectation = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeArticles[issue.expected] ?? `a ${issue.expected}`}`
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

/** For a union, lists the problems of the option that has the type and the fields of the value, if exactly one has them. */
const listIssueProblems = (issue: ZodIssue, parentPath: Path): Problem[] => {
  if (issue.code !== 'invalid_union' || issue.discriminator !== undefined) return [toProblem(issue, parentPath)]
  const unionOptions = issue.errors.filter((issues) => !issues.some((one) => isOfAnotherType(one, issue.input)))
  const completeOptions = unionOptions.filter((issues) => issues.every((one) => getRejectedValue(one) !== undefined))
  const [meantIssues, ...others] = unionOptions.length > 1 ? completeOptions : unionOptions
  if (meantIssues === undefined || others.length > 0) return [toProblem(issue, parentPath)]
  return meantIssues.flatMap((one) => listIssueProblems(one, [...parentPath, ...issue.path]))
}

const isOfAnotherType = ({ code, path, ...issue }: ZodIssue, value: unknown): boolean =>
  code === 'invalid_type' && path.length === 0 && !(typeof value === 'number' && 'format' in issue)

const toProblem = (issue: ZodIssue, parentPath: Path): Problem => {
  const path = formatPath([...parentPath, ...issue.path])
  const name = path || 'The value'
  // The message of a cross-field check is complete.
  if (issue.code === 'custom' && issue.params?.rule === true) return { path, message: `${name} ${issue.message}` }
  if (issue.code === 'invalid_key')
    return describeInvalidName([...parentPath, ...issue.path], issue.issues.map(({ message }) => message).join(' and '))
  const rejectedValue = getRejectedValue(issue)
  if (rejectedValue === undefined) return { path, message: `${name} is required.` }
  if (isSecretPath(path)) return { path, message: `${name} ${issue.message}.` }
  return { path, message: `${name} ${issue.message} (got ${quote(rejectedValue)}).` }
}

/** For a discriminated union, returns the discriminator. */
const getRejectedValue = (issue: ZodIssue): unknown =>
  issue.code === 'invalid_union' && issue.discriminator !== undefined
    ? Reflect.get(Object(issue.input), issue.discriminator)
    : issue.input

/** Returns true if the value at this path can be or contain a secret. No message quotes it. */
export const isSecretPath = (path: string): boolean => /(?:^|[._-]|admin)(?:tokens?|headers)(?:[.[]|$)/i.test(path)

// An invalid name among secrets may be a secret itself.
const describeInvalidName = (namePath: Path, message: string): Problem => {
  const path = formatPath(namePath)
  const parent = formatPath(namePath.slice(0, -1))
  if (isSecretPath(path)) return { path: parent, message: `${parent} has an invalid name: it ${message}.` }
  return { path, message: `${parent} has the invalid name ${quote(namePath.at(-1))}: it ${message}.` }
}

export type FieldNoun = 'field' | 'parameter'

/** Describes an unknown field, and suggests the objects that have it, or else the nearest known name. */
export const describeUnknownField = (
  parentPath: readonly PropertyKey[],
  key: string,
  knownFields: readonly string[],
  places: readonly string[] = [],
  noun: FieldNoun = 'field',
): Problem => {
  const path = formatPath([...parentPath, key])
  const messageStart = `${path} is not a ${noun} here;`
  if (places.length > 0) return { path, message: `${messageStart} put it into ${places.join(' or ')}.` }
  const nearestField = findNearest(key, knownFields)
  if (nearestField !== undefined) return { path, message: `${messageStart} did you mean '${nearestField}'?` }
  if (knownFields.length === 0) return { path, message: `${messageStart} no ${noun}s are allowed.` }
  const fieldList = `the ${noun}s are ${knownFields.join(', ')}.`
  // If every field is secret, the unknown name may be a secret itself.
  if (!knownFields.every((name) => isSecretPath(formatPath([...parentPath, name]))))
    return { path, message: `${messageStart} ${fieldList}` }
  const parent = formatPath(parentPath)
  return { path: parent, message: `${parent || 'The value'} has an unknown field; ${fieldList}` }
}

export const listProblems = (error: { readonly issues: readonly ZodIssue[] }, parentPath: Path = []): Problem[] =>
  error.issues.slice(0, maxProblems + 1).flatMap((issue) => listIssueProblems(issue, parentPath))

export const parse = <S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  parentPath: Path = [],
): Parsed<z.output<S>> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  // Messages double the cost of a parse, so only an invalid value is parsed with them.
  const { error = parsed.error } = schema.safeParse(value, { reportInput: true, error: describeExpectation })
  return { ok: false, problems: listProblems(error, parentPath) }
}

export const formatProblems = (what: string, problems: readonly Problem[]): string => {
  const [only, ...others] = problems
  if (only !== undefined && others.length === 0) return only.message
  const shownProblems = problems.slice(0, 5).map((problem) => problem.message.replace(/\.$/, ''))
  const isEndless = problems.length > maxProblems
  const count = isEndless ? `more than ${maxProblems}` : problems.length
  const unshownCount = isEndless ? 'many' : problems.length - shownProblems.length
  const moreText = unshownCount === 0 ? '' : `; and ${unshownCount} more`
  return `${what} has ${count} problems: ${shownProblems.join('; ')}${moreText}.`.replace(/\?\.$/, '?')
}

/** For a repeated parameter, reports only the repetition. */
export const simplifyQueryProblems = (
  { shape }: z.ZodMiniObject,
  query: object,
  problems: readonly Problem[],
): Problem[] =>
  problems.map((problem) => {
    const { path } = problem
    const values: unknown = Object.hasOwn(shape, path) ? Reflect.get(query, path) : undefined
    if (!Array.isArray(values)) return problem
    return { path, message: `${path} must be given once (got ${values.length} values).` }
  })
