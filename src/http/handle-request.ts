import { MockError } from '../schema/error.ts'
import { readText } from '../wire/body.ts'
import { type ResponseData, errorData, toMockError, responseOf } from '../wire/respond.ts'
import { applyFault, matchFault } from './apply-fault.ts'
import type { Input, Operation } from './operation.ts'
import { type ApiContext, createContext, type RequestContext } from './request-context.ts'
import { contextHeaders, serialize } from './serialize.ts'
import { authenticate, locate, negotiate, validateBody, validateQuery } from './validate.ts'
import { noteError } from './violations.ts'

/** Runs a route. Errors that it throws become error responses. */
type Run = (context: RequestContext) => ResponseData

/** Handles a request to an operation. */
export const handleOperation = (operation: Operation) =>
  handleRequest((context) => runOperation(context, operation), operation)

/**
 * Handles a request to the mocked API. The body is read first: all later stages are synchronous, so that each request is
 * atomic. Only a fault can make a request wait.
 */
export const handleRequest = (run: Run, operation?: Operation) =>
  function handleRequest(c: ApiContext): Response | Promise<Response> {
    const context = createContext(c, operation)
    c.env.onContext?.(context)
    return context.transport.hasBody() ? readBody(context).then(() => respond(context, run)) : respond(context, run)
  }

const readBody = async (context: RequestContext): Promise<void> => {
  try {
    context.text = await readText(context.transport, context.options.bodyLimit)
  } catch (error) {
    context.bodyError = toMockError(error, context.options.onError)
  }
}

const respond = (context: RequestContext, run: Run): Response | Promise<Response> => {
  const fault = matchFault(context)
  if (fault === undefined) return record(context, responseOf(execute(context, run)))
  return applyFault(context, fault, () => execute(context, run))
    .catch((error: unknown) => responseOf(fail(context, error)))
    .then((response) => record(context, response))
}

const execute = (context: RequestContext, run: Run): ResponseData => {
  const response = runOrFail(context, run)
  ensureProject(context, response.status)
  return response
}

const runOrFail = (context: RequestContext, run: Run): ResponseData => {
  try {
    return (context.response = run(context))
  } catch (error) {
    return fail(context, error)
  }
}

/** The stages of an operation, in the order of their errors. */
const runOperation = (context: RequestContext, operation: Operation): ResponseData => {
  // 401, 403
  authenticate(context)
  // 406, 415
  negotiate(context, operation)
  // 404
  locate(context)
  // 400
  const query = validateQuery(context, operation)
  // 413, 400, 422
  const body = validateBody(context, operation)
  // 404, 409
  const result = write(context, operation, { query, body })
  return serialize(context, operation, result)
}

const write = (context: RequestContext, operation: Operation, sent: Pick<Input, 'query' | 'body'>): unknown => {
  const { params, getBehavior, raw, options } = context
  const project = context.project!
  // A request that began before a reset, a load or a restore must not write into the new state.
  if (options.store.generationOf(project) !== context.generation)
    throw new MockError(
      'stateReplaced',
      `The state of project '${project}' was replaced while the request was under way.`,
    )
  return options.store.write(project, getBehavior, (tx) => {
    const result = operation.handle(tx, { params, ...sent, headersOnly: raw.method === 'HEAD' })
    context.changes = tx.changes
    return result
  })
}

const fail = (context: RequestContext, error: unknown): ResponseData => {
  const refusal = withStatus(context, toMockError(error, context.options.onError))
  noteError(context, refusal)
  return (context.response = errorData(refusal, context.behaviors.errorFormat, contextHeaders(context)))
}

const withStatus = ({ getBehavior }: RequestContext, refusal: MockError): MockError => {
  if (refusal.code !== 'invalidBody') return refusal
  const { code, message, hint, details } = refusal
  return new MockError(code, message, { hint, details, status: getBehavior('invalidBodyStatus') })
}

// After these errors an unknown project is not created: its name may be misspelled.
const leaveProjectUnknown = new Set([401, 403, 404])

const ensureProject = ({ project, operation, generation, options }: RequestContext, status: number): void => {
  if (project === undefined || operation === undefined || leaveProjectUnknown.has(status)) return
  const { store, onProjectCreated } = options
  // A request that began before a deletion must not create the project again.
  if (store.generationOf(project) === generation && store.ensureProject(project)) onProjectCreated(project)
}

const record = (context: RequestContext, response: Response): Response => {
  const { traffic, systemNow } = context.options
  traffic.record(
    {
      project: context.project,
      operation: context.operation?.id,
      method: context.raw.method,
      url: context.raw.url,
      headers: context.transport.headers(),
      text: context.text,
      id: context.requestId,
      status: context.response?.status,
      receivedAt: context.receivedAt,
      duration: systemNow() - context.startedAt,
      answer: context.response,
      behaviors: context.behaviors,
      assumed: context.assumed,
      violations: context.violations,
      changes: context.changes,
      fault: context.fault,
    },
    context.epoch,
  )
  return response
}
