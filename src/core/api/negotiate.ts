import { errors } from '../schema/error.ts'
import { shorten } from '../schema/text.ts'
import { allowsJson, isJson, jsonType, namesJson, rejectCoding } from '../http/json.ts'
import type { Operation } from './operation.ts'
import type { Notes } from './outcome.ts'
import type { ApiRequest } from './request.ts'
import { noteViolation } from './violations.ts'

/** Checks the Accept and Content-Type headers that spec §5 requires. */
export const negotiate = (request: ApiRequest, notes: Notes, operation: Operation): void => {
  const accept = request.req.header('accept') ?? ''
  if (accept !== jsonType) rejectAccept(request, notes, accept)
  if (operation.body !== undefined) rejectMediaType(request, notes)
  else if (hasBody(request)) {
    const message = `${operation.id} must be sent without a body.`
    noteViolation(request, notes, { path: 'body', message })
    rejectMediaType(request, notes)
  }
}

/** An unreadable body still counts as a body. */
const hasBody = ({ body: { text = '', error } }: ApiRequest): boolean => text !== '' || error !== undefined

const rejectAccept = (request: ApiRequest, notes: Notes, accept: string) => {
  if (!namesJson(accept)) noteViolation(request, notes, describeWrongHeader('accept', accept), '§5')
  if (!allowsJson(accept) && notes.getBehavior('requestHeaders') === 'required') throw errors.notAcceptable(accept)
}

// Many clients send no Content-Type, which is accepted as JSON. Other types are rejected.
const rejectMediaType = (request: ApiRequest, notes: Notes) => {
  rejectCoding(request.req.header('content-encoding'))
  const contentType = request.req.header('content-type') ?? ''
  if (contentType === jsonType || isJson(contentType)) return
  // An empty body is a syntax error.
  if (contentType === '' && !hasBody(request)) return
  if (contentType === '') noteViolation(request, notes, describeWrongHeader('content-type', ''), '§5')
  if (contentType === '' && notes.getBehavior('requestHeaders') === 'lenient') return
  throw errors.unsupportedMediaType({ contentType })
}

const describeWrongHeader = (headerName: string, headerValue: string) => ({
  path: `headers.${headerName}`,
  message: `The ${headerName} header must be 'application/json' (${headerValue === '' ? 'it is missing' : `got '${shorten(headerValue, 100)}'`}).`,
})
