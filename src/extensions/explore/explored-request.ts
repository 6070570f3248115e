// The calls of a run, as its listing shows them.
import type { OnAccess } from '../../domain/transaction.ts'
import type { RequestContext } from '../../http/request-context.ts'
import type { Core } from '../../mock/mock.ts'
import type { Call } from '../../schema/command.ts'
import type { CommandId } from '../../schema/command-routes.ts'
import { commands } from '../../schema/commands.ts'
import { MockError } from '../../schema/error.ts'
import type { OperationId } from '../../schema/operation.ts'
import { anything } from './dependence.ts'

/** A call in a run: a request, or a command of the control API. */
export interface ExploredRequest {
  /** Null in `explore`. */
  readonly actor: string | null
  /** The id of the operation or command. Null: no route matched. */
  readonly operation: string | null
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The text of the body. */
  readonly body: string | null
  /** Null: the client received no response. */
  readonly status: number | null
  /** The text of the response. */
  readonly response: string | null
  /** When it was made, by the mock clock. */
  readonly time: string
  /** What a fault did to the call. Null: nothing. */
  readonly fault: string | null
}

/** A call of an actor. It is read at the end of the run, when its response is known. */
export interface ActorCall {
  readonly read: () => Omit<ExploredRequest, 'actor' | 'time'>
  /** The operation of the mocked API, which a fault can match. Undefined for other calls. */
  readonly getOperation: () => OperationId | undefined
}

/** Records a request, and reports what it reads and writes besides its transactions. `ownFaults` are those of the search. */
export const recordRequest = (core: Core, request: Request, note: OnAccess, ownFaults: ReadonlySet<string>) => {
  let context: RequestContext | undefined
  let delivered: Response | undefined
  let effect: string | null = null
  return {
    request,
    send: async (sent: Request): Promise<Response> => {
      const onContext = (created: RequestContext) => {
        context = created
        const isKeyed = request.headers.has('idempotency-key')
        note({ project: created.project, part: isKeyed ? '*' : 'behaviors', isWrite: isKeyed })
        // A fault counts requests. A sandbox has faults of its own.
        const { faults } = created.options.traffic
        if (created.options.store !== core.root.store || faults.list().some(({ id }) => !ownFaults.has(id)))
          note(anything)
      }
      try {
        delivered = await core.handleRequest(sent, onContext)
        return delivered
      } finally {
        const { fault } = context ?? {}
        if (context === undefined) note(anything)
        if (fault !== undefined && !ownFaults.has(fault)) effect = describeFault(core, fault)
      }
    },
    getOperation: () => context?.operation?.id,
    read: () => ({
      operation: context?.operation?.id ?? null,
      method: request.method,
      path: request.url.slice(request.url.indexOf('/', request.url.indexOf('//') + 2)),
      body: context?.text ?? null,
      status: delivered?.status ?? null,
      response: delivered === undefined ? null : (context?.response?.text ?? null),
      fault: effect,
    }),
  }
}

/** Describes a fault that an actor has added. */
const describeFault = (core: Core, id: string): string => {
  const { effect } = core.root.faults.list().find((fault) => fault.id === id) ?? {}
  return effect === undefined ? id : `${id}: ${JSON.stringify(effect)}`
}

/** Records a command of the control API. */
export const recordCommand = (operation: CommandId, { params = {}, body }: Call = {}) => {
  const { method, path } = commands[operation]
  const scope = params.project === undefined ? '/__admin' : '/__admin/projects/{project}'
  let end: { readonly status: number; readonly value: unknown } | undefined
  return {
    watch: <T>(response: Promise<T>): Promise<T> => {
      response.then(
        (value) => (end = { status: 200, value }),
        (error: unknown) => (end = error instanceof MockError ? { status: error.status, value: error } : undefined),
      )
      return response
    },
    getOperation: () => undefined,
    read: () => ({
      operation,
      method,
      path: `${scope}${path}`.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
      body: toText(body),
      status: end?.status ?? null,
      response: toText(end?.value),
      fault: null,
    }),
  }
}

const toText = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
