// The calls of a run: what the client sent and received, and what each call read and wrote.
import type { OnAccess } from '../../domain/transaction.ts'
import type { RequestContext } from '../../http/request-context.ts'
import type { Core } from '../../mock/mock.ts'
import { getCommandPath } from '../../schema/command-definition.ts'
import { type Call, commands, type CommandId } from '../../schema/command.ts'
import { recordCommands } from '../../schema/commands/record-definitions.ts'
import { MockError } from '../../schema/error.ts'
import type { OperationId } from '../../schema/operation-routes.ts'
import { getTarget } from '../../schema/url.ts'
import type { ExploredRequest } from './result.ts'

/** A part of a project that a step reads or writes. */
export type Access = Parameters<OnAccess>[0]

/** The access of a call that may have read and changed anything. */
const anything: Access = { project: '*', part: '*', isWrite: true }

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
        if (fault !== undefined && !ownFaults.has(fault)) effect = describeAddedFault(core, fault)
      }
    },
    getOperation: () => context?.operation?.id,
    read: () => ({
      operation: context?.operation?.id ?? null,
      method: request.method,
      path: getTarget(request.url),
      body: context?.text ?? null,
      status: delivered?.status ?? null,
      response: delivered === undefined ? null : (context?.response?.text ?? null),
      fault: effect,
    }),
  }
}

/** Describes a fault that an actor has added. */
const describeAddedFault = (core: Core, id: string): string => {
  const { effect } = core.root.faults.list().find((fault) => fault.id === id) ?? {}
  return effect === undefined ? id : `${id}: ${JSON.stringify(effect)}`
}

/** Records a command of the control API, and reports what it reads and writes besides its transactions. */
export const recordCommand = <T>(
  id: CommandId,
  { params = {}, body }: Call = {},
  note: OnAccess,
  run: () => Promise<T>,
) => {
  const command = commands[id]
  const path = `/__admin${getCommandPath(command, params.project)}`
  let end: { readonly status: number; readonly value: unknown } | undefined
  return {
    send: (): Promise<T> => {
      // The commands of records read and write only with transactions.
      const isTracked = id in recordCommands && params.project !== undefined
      note(isTracked ? { project: params.project!, part: 'behaviors', isWrite: false } : anything)
      const response = run()
      response.then(
        (value) => (end = { status: 200, value }),
        (error: unknown) => (end = error instanceof MockError ? { status: error.status, value: error } : undefined),
      )
      return response
    },
    getOperation: () => undefined,
    read: () => ({
      operation: id,
      method: command.method,
      path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
      body: toText(body),
      status: end?.status ?? null,
      response: toText(end?.value),
      fault: null,
    }),
  }
}

const toText = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
