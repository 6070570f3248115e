import type { ErrorCode, Problem, MockError } from '../schema/error.ts'
import { shortened } from '../schema/problem.ts'
import type { RequestContext } from './request-context.ts'

/** How many violations of one request are noted: a body may have as many unknown fields as fit into it. */
const maxNoted = 100
/** How much of each text is kept: a path may be as long as the headers may be. */
const maxText = 500

/** Notes a violation of the specification. */
export const note = ({ violations }: RequestContext, spec: string, { path, message }: Problem): void => {
  if (violations.length < maxNoted)
    violations.push({ spec, path: shortened(path, maxText), message: shortened(message, maxText) })
}

/** The section that a rejected request violates. Other errors are not violations. */
const sections: Partial<Record<ErrorCode, string>> = {
  tokenMissing: '§5',
  routeNotFound: '§4',
  methodNotAllowed: '§4',
  unsupportedMediaType: '§5',
  malformedBody: '§1',
  invalidQuery: 'own',
  cursorNotFound: 'own',
  invalidBody: 'own',
}

const places: Partial<Record<ErrorCode, string>> = {
  tokenMissing: 'headers.authorization',
  routeNotFound: 'path',
  methodNotAllowed: 'method',
  unsupportedMediaType: 'headers.content-type',
  malformedBody: 'body',
}

/** Notes each problem of an error that the specification calls a violation. */
export const noteError = (context: RequestContext, refusal: MockError): void => {
  noteWrongKind(context, refusal)
  const section = sections[refusal.code]
  if (section === undefined) return
  const spec = section === 'own' ? (context.operation?.spec ?? '§4') : section
  const problems = refusal.details ?? [{ path: places[refusal.code] ?? '', message: refusal.message }]
  const known = new Set(context.violations.map(({ message }) => message))
  for (const problem of problems) if (!known.has(problem.message)) note(context, spec, problem)
}

/** An id with the prefix of another resource. */
const noteWrongKind = (context: RequestContext, { code, message, hint }: MockError) => {
  const prefix = { userNotFound: 'usr_', paymentLinkNotFound: 'pml_' }[code as 'userNotFound']
  if (prefix === undefined || message.includes(`'${prefix}`)) return
  note(context, '§2.1', { path: 'path', message: `${message} ${hint ?? ''}`.trim() })
}
