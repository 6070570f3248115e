import type { ErrorCode, MockError } from '../schema/error.ts'
import type { Problem } from '../schema/problem.ts'
import { findMissingKind } from '../domain/kinds.ts'
import { shorten } from '../schema/text.ts'
import type { RequestContext } from './request-context.ts'

/** The maximum number of violations of one request: its body may have any number of unknown fields. */
const maxViolations = 100
/** The maximum length of a text, because a path may be as long as the headers. */
const maxText = 500

/** Notes a violation of the specification. */
export const noteViolation = ({ violations }: RequestContext, spec: string, { path, message }: Problem): void => {
  if (violations.length < maxViolations)
    violations.push({ spec, path: shorten(path, maxText), message: shorten(message, maxText) })
}

/** The section of the specification that a request with this error violates. Other errors are not violations. */
const sections: Partial<Record<ErrorCode, string>> = {
  tokenMissing: '§5',
  routeNotFound: '§4',
  methodNotAllowed: '§4',
  unsupportedMediaType: '§5',
  malformedBody: '§1',
  invalidQuery: 'operation',
  cursorNotFound: 'operation',
  invalidBody: 'operation',
}

const paths: Partial<Record<ErrorCode, string>> = {
  tokenMissing: 'headers.authorization',
  routeNotFound: 'path',
  methodNotAllowed: 'method',
  unsupportedMediaType: 'headers.content-type',
  malformedBody: 'body',
}

/** Notes each problem of an error that the specification calls a violation. */
export const noteError = (context: RequestContext, mockError: MockError): void => {
  noteWrongKind(context, mockError)
  const section = sections[mockError.code]
  if (section === undefined) return
  const spec = section === 'operation' ? (context.operation?.spec ?? '§4') : section
  const problems = mockError.details ?? [{ path: paths[mockError.code] ?? '', message: mockError.message }]
  const known = new Set(context.violations.map(({ message }) => message))
  for (const problem of problems) if (!known.has(problem.message)) noteViolation(context, spec, problem)
}

/** Notes a violation if an unknown id does not have the prefix of its resource. */
const noteWrongKind = (context: RequestContext, { code, message, hint }: MockError) => {
  const kind = findMissingKind(code)
  if (kind === undefined || message.includes(`'${kind.prefix}_`)) return
  noteViolation(context, '§2.1', { path: 'path', message: `${message} ${hint ?? ''}`.trim() })
}
