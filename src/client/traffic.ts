import * as z from 'zod'
import type { MockEvent } from '../schema/event.ts'
import type { Fault, FaultRule } from '../schema/fault.ts'
import type { Matcher } from '../schema/matcher.ts'
import { optionsOf } from '../schema/options-of.ts'
import type { Assumption, Entries, Entry, Violations } from '../schema/traffic.ts'
import type { Verification, Verified } from '../schema/verification.ts'
import type { Send } from '../schema/commands.ts'

/** A fault that was set. It is taken away by `remove`, or at the end of an `await using`. */
export interface SetFault extends Fault, AsyncDisposable {
  /** How often it has struck by now, and how often it still can. */
  read(): Promise<Fault>
  remove(): Promise<void>
}

/** Which entries are listed: `limit` takes the newest, `since` what came behind an entry, or at a time and later. */
export interface RequestsQuery extends Pick<Matcher, 'operation' | 'method' | 'path' | 'project' | 'status'> {
  readonly since?: string
  readonly limit?: number
}

/** What clients call, of one project or of all: read, verified, broken on purpose and followed. */
export interface TrafficControl {
  /** The journal. It is emptied by a reset. */
  readonly requests: {
    /** Entries oldest first, and how many are there no more. */
    list(query?: RequestsQuery): Promise<Entries>
    /** The entry with this id, which is the `Mock-Request-Id` of the answer. Refuses (`requestNotFound`) any other. */
    get(id: string): Promise<Entry>
    /** Rejects with a `Refusal` that says what was expected and found, and which requests came nearest. */
    verify(verification: Verification): Promise<Verified>
    forget(): Promise<void>
  }
  readonly violations: {
    /** What clients sent that the specification does not allow, or that the mock let pass. */
    list(): Promise<Violations>
    /** Rejects with a `Refusal` that lists them, if there is any: the one line that makes a test fail. */
    verify(): Promise<Violations>
  }
  /** The readings that answers relied on, with counts. */
  assumptions(): Promise<readonly Assumption[]>
  readonly faults: {
    /** Sets a fault. Rejects with a `Refusal` when it says nothing, or can never strike. */
    add(rule: z.input<typeof FaultRule>): Promise<SetFault>
    list(): Promise<readonly Fault[]>
    /** Takes a fault away, or refuses (`faultNotFound`) if it is not there; without an argument all. */
    remove(id?: string): Promise<void>
  }
  /** What happens, from the first read on; or from behind the event that is named. */
  events(options?: { readonly after?: number }): AsyncIterable<MockEvent>
}

// Which event can be named is for the mock to say.
const EventsOptions = z.object({ after: z.custom<number>().optional() })

/** What is called and broken, over anything that carries calls. */
export const createTrafficControl = (send: Send, params: Readonly<Record<string, string>>): TrafficControl => ({
  requests: {
    list: (query = {}) => send.one('listRequests', { params, query }),
    get: (request) => send.one('retrieveRequest', { params: { ...params, request } }),
    verify: (body) => send.one('verifyRequests', { params, body }),
    forget: () => send.one('forgetRequests', { params }),
  },
  violations: {
    list: () => send.one('listViolations', { params }),
    verify: () => send.one('verifyViolations', { params }),
  },
  assumptions: () => send.one('listAssumptions', { params }).then(({ items }) => items),
  faults: {
    add: (body) => send.one('addFault', { params, body }).then((fault) => setFault(send, params, fault)),
    list: () => send.one('listFaults', { params }).then(({ items }) => items),
    // One that is named and is undefined is a slip, and must not take away all.
    remove: (...named) =>
      named.length === 0
        ? send.one('removeFaults', { params })
        : send.one('removeFault', { params: { ...params, fault: named[0]! } }),
  },
  events: (options = {}) => send.follow({ params }, optionsOf('events', '{ after: 0 }', EventsOptions, options).after),
})

const setFault = (send: Send, params: Readonly<Record<string, string>>, fault: Fault): SetFault => {
  const call = { params: { ...params, fault: fault.id } }
  const remove = () => send.one('removeFault', call)
  return {
    ...fault,
    read: () => send.one('retrieveFault', call),
    remove,
    // A reset may have taken it away already.
    [Symbol.asyncDispose]: () => remove().catch(() => {}),
  }
}
