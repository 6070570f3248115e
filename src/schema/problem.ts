import type { z } from 'zod'
import { maxProblems, type Problem } from './error.ts'

/** The parsed value, or all of its problems. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: Problem[] }

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** `projects.acme.paymentLinks[3].completedAt` */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')

/** A text as a message may hold it, however long it is. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}...` : text

/** A value as a message may quote it: short, whatever was sent. */
export const quote = (value: unknown): string => {
  if (typeof value === 'string') return `'${shortened(value, 40)}'`
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  // As a text it is its whole source.
  if (typeof value === 'function') return 'a function'
  return shortened(String(value), 40)
}

/** `'a', 'b' or 'c'` */
export const listText = (values: readonly unknown[]): string => {
  const texts = values.map(quote)
  return texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

/** `1 user`, `2 users` */
export const amountText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const articles: Record<string, string> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  int: 'an integer',
  boolean: 'true or false',
}

/** The expected value. Schemas with their own message do not need it. */
const expectation = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${articles[issue.expected] ?? `a ${issue.expected}`}`
    case 'invalid_value':
      return `must be ${listText(issue.values)}`
    case 'invalid_union':
      return 'must have one of the forms that are documented'
    case 'too_small':
      return `must be at least ${issue.minimum}${sizeUnit(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${sizeUnit(issue.origin)}`
    default:
      return 'must have another form'
  }
}

const sizeUnit = (origin: string | undefined) =>
  origin === 'string' ? ' characters long' : origin === 'array' ? ' items long' : ''

/** The problems of an issue. For a union: those of the only option with the type of the value, if any. */
const problemsIn = (issue: Issue, at: Path): Problem[] => {
  if (issue.code !== 'invalid_union' || issue.discriminator !== undefined) return [problemOf(issue, at)]
  const [meant, ...others] = issue.errors.filter((issues) => !issues.some((one) => isOfAnotherType(one, issue.input)))
  if (meant === undefined || others.length > 0) return [problemOf(issue, at)]
  return meant.flatMap((one) => problemsIn(one, [...at, ...issue.path]))
}

const isOfAnotherType = ({ code, path, ...issue }: Issue, value: unknown): boolean =>
  code === 'invalid_type' && path.length === 0 && !(typeof value === 'number' && 'format' in issue)

const problemOf = (issue: Issue, at: Path): Problem => {
  const path = pathText([...at, ...issue.path])
  // A check with this mark has a complete message, which says what was sent.
  if (issue.code === 'custom' && issue.params?.rule === true)
    return { path, message: `${path || 'The value'} ${issue.message}` }
  const name = path || 'The value'
  // The name of a member is wrong: why, says what the schema of names found.
  if (issue.code === 'invalid_key') return invalidName([...at, ...issue.path], issue.issues[0]!.message)
  const got = gotOf(issue)
  if (got === undefined) return { path, message: `${name} is required.` }
  if (isSecret(path)) return { path, message: `${name} ${issue.message}.` }
  return { path, message: `${name} ${issue.message} (got ${quote(got)}).` }
}

/** The rejected value; for a discriminated union, its discriminator. */
const gotOf = (issue: Issue): unknown =>
  issue.code === 'invalid_union' && issue.discriminator !== undefined
    ? (issue.input as Record<string, unknown>)[issue.discriminator]
    : issue.input

/** Whether the value at this path can be or contain a secret, also in a wrong shape: no message quotes it. */
export const isSecret = (path: string): boolean => /(?:^|[._-]|admin)(?:tokens?|headers)(?:[.[]|$)/i.test(path)

// Among secrets the wrong name may be a secret itself: the message names the object around it.
const invalidName = (at: Path, message: string): Problem => {
  const path = pathText(isSecret(pathText(at)) ? at.slice(0, -1) : at)
  return { path, message: `${path} has a name that ${message}.` }
}

/** The problems of a rejected value, up to the maximum. `at` is the path of the value. */
export const problemsOf = (error: { readonly issues: readonly Issue[] }, at: Path = []): Problem[] =>
  error.issues.slice(0, maxProblems + 1).flatMap((issue) => problemsIn(issue, at))

/** Parses with our messages, which quote the input. */
export const asking: z.core.ParseContext<z.core.$ZodIssue> = { reportInput: true, error: expectation }

/** Parses a value with a schema. Returns all problems at once. */
export const parse = <S extends z.ZodType>(schema: S, value: unknown, at: Path = []): Parsed<z.output<S>> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  // Messages double the cost of a parse, so only an invalid value is parsed with them.
  const { error = parsed.error } = schema.safeParse(value, asking)
  return { ok: false, problems: problemsOf(error, at) }
}

/** One sentence for one problem, a count and all of them for more. */
export const problemsText = (what: string, problems: readonly Problem[]): string => {
  if (problems.length === 1) return problems[0]!.message
  const shown = problems.slice(0, 5).map((problem) => problem.message.replace(/\.$/, ''))
  const isEndless = problems.length > maxProblems
  const count = isEndless ? `more than ${maxProblems}` : problems.length
  const left = isEndless ? 'many' : problems.length - shown.length
  const more = left === 0 ? '' : `; and ${left} more`
  return `${what} has ${count} problems: ${shown.join('; ')}${more}.`.replace(/\?\.$/, '?')
}

/** The problems of a query. For a repeated parameter, only the repetition is reported. */
export const queryProblems = ({ shape }: z.ZodObject, sent: object, problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => {
    const { path } = problem
    const values: unknown = Object.hasOwn(shape, path) ? Reflect.get(sent, path) : undefined
    if (!Array.isArray(values)) return problem
    return { path, message: `${path} must be given once (got ${values.length} values).` }
  })
