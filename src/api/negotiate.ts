import { errors } from '../schema/error.ts'
import { shorten } from '../schema/text.ts'
import { allowsJson, isJson, json, namesJson, rejectCoding } from '../http/json.ts'
import type { Operation } from './operations.ts'
import type { RequestContext } from './request-context.ts'
import { noteViolation } from './violations.ts'

/** Checks the Accept and Content-Type headers that spec §5 requires. */
export const negotiate = (context: RequestContext, operation: Operation): void => {
  const accept = context.req.header('accept') ?? ''
  if (accept !== json) rejectAccept(context, accept)
  if (operation.body !== undefined) rejectMediaType(context)
  else if (hasBody(context)) {
    const message = `${operation.id} must be sent without a body.`
    noteViolation(context, { path: 'body', message })
    rejectMediaType(context)
  }
}

/** Whether the request has a body. An unreadable body still counts as a body. */
export const hasBody = ({ text = '', bodyError }: RequestContext): boolean => text !== '' || bodyError !== undefined

const rejectAccept = (context: RequestContext, accept: string) => {
  if (!namesJson(accept)) noteViolation(context, describeWrongHeader('accept', accept), '§5')
  if (!allowsJson(accept) && context.getBehavior('requestHeaders') === 'required') throw errors.notAcceptable(accept)
}

// Many clients send no Content-Type, which is accepted as JSON. Other types are rejected.
const rejectMediaType = (context: RequestContext) => {
  rejectCoding(context.req.header('content-encoding'))
  const contentType = context.req.header('content-type') ?? ''
  if (contentType === json || isJson(contentType)) return
  // An empty body is a syntax error.
  if (contentType === '' && !hasBody(context)) return
  if (contentType === '') noteViolation(context, describeWrongHeader('content-type', ''), '§5')
  if (contentType === '' && context.getBehavior('requestHeaders') === 'lenient') return
  throw errors.unsupportedMediaType({ contentType })
}

const describeWrongHeader = (headerName: string, headerValue: string) => ({
  path: `headers.${headerName}`,
  message: `The ${headerName} header must be 'application/json' (${headerValue === '' ? 'it is missing' : `got '${shorten(headerValue, 100)}'`}).`,
})
