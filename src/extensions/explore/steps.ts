// The steps of a run: calls and sleeps of the code under test, in the order in which they had their turn.
import type { Access } from '../../mock/extension.ts'
import type { OperationId } from '../../schema/operation-routes.ts'
import type { ExploredRequest } from './result.ts'
import type { CallFault } from './schedule-text.ts'

/** A call of an actor. It is read at the end of the run, when its response is known. */
export interface ActorCall {
  readonly read: () => Omit<ExploredRequest, 'actor' | 'time'>
  /** The method, the path and the body. They are the same in each run that repeats the call. */
  readonly describe: () => string
  /** The operation of the mocked API, which a fault can match. Undefined for other calls. */
  readonly getOperation: () => OperationId | undefined
  /** How many links a customer could pay when the call had its turn. */
  readonly countLinks: () => number
}

/** A call or a sleep that waits for its turn. */
export interface Choice {
  /** The actor and the number of the call or sleep in it. Other orders do not change it. */
  readonly id: string
  readonly actor: string
  /** The choice in the text of a schedule. */
  readonly text: string
  /** The step that created the call or sleep. -1: the start of the run. */
  readonly created: number
  readonly isSleep: boolean
  /** Undefined for a sleep. */
  readonly call: ActorCall | undefined
}

/** A choice that was made: a call went to the mock, or a sleep ended. */
export interface Step extends Choice {
  readonly fault: CallFault | undefined
  /** The choices there were. */
  readonly ready: readonly Choice[]
  /** The reads and writes of the step, if the search needs them. */
  readonly accesses: Map<string, Access>
  /** When it was, by the mock clock. */
  readonly time: string
}

/** The access of a call that may have read and changed anything. */
export const anything: Access = { project: '*', part: '*', isWrite: true }

/** Notes what a step reads or writes. */
export const noteAccess = (step: Step | undefined, access: Access): void =>
  void step?.accesses.set(`${access.project} ${access.part} ${access.isWrite}`, access)

/** Returns true if the order of two steps may matter. */
export const isDependent = (a: Step, b: Step): boolean => {
  // A sleep changes the time of everything, and whether other sleeps can end.
  if (a.actor === b.actor || a.isSleep || b.isSleep) return true
  for (const one of a.accesses.values()) for (const other of b.accesses.values()) if (conflict(one, other)) return true
  return false
}

const conflict = (a: Access, b: Access): boolean =>
  (a.isWrite || b.isWrite) &&
  !(isCreation(a) && isCreation(b)) &&
  isCommon(a.project, b.project) &&
  (isCommon(a.part, b.part) || changesTime(a) || changesTime(b))

/** A project is the same, whichever call creates it. */
const isCreation = ({ part, isWrite }: Access): boolean => part === 'existence' && isWrite

const isCommon = (a: string, b: string): boolean => a === b || a === '*' || b === '*'

/** Every call reads the clock. */
const changesTime = ({ part, isWrite }: Access): boolean => isWrite && part === 'clock'

/** Returns the next choice and the fault of its call. Undefined ends the run, because it would repeat another one. */
export type Decide = (
  ready: readonly Choice[],
  steps: readonly Step[],
) => { readonly choice: Choice; readonly fault?: CallFault | undefined } | undefined

/** Returns the choices that there were at a step of an earlier run with the same steps before it. Undefined: there was none. */
export type GetExpected = (step: number) => readonly Choice[] | undefined

/** How often the steps change from one actor to another. */
export const countChanges = (steps: readonly Step[]): number =>
  steps.filter(({ actor }, index) => index > 0 && actor !== steps[index - 1]!.actor).length
