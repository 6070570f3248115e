// The faults of a run of a program, and the text that names them.
import { pluralize, quote } from '../../../schema/problem.ts'
import { type Effects, listPhases, type FaultSchedule, type FaultableCall } from '../explored-faults.ts'
import { formatPlaces, type parsePlaces } from '../schedule-text.ts'
import { ProgramError } from './program-verdict.ts'
import { parseCallId } from './program-recorder.ts'
import type { ProgramFault } from './program-result.ts'

/** The faults of a run. */
export interface ProgramPlan {
  readonly schedule: FaultSchedule
  /** The numbers of the calls that it can name. */
  readonly numbers: CallNumbers
  /** The position among all plans. */
  readonly order: number
}

/** The numbers of calls by id, from 1. */
export type CallNumbers = ReadonlyMap<string, number>

/** Numbers the calls of the first undisturbed run, and then those that only a run with faults has. */
export const numberCalls = (calls: readonly FaultableCall[], known: CallNumbers = new Map()): CallNumbers => {
  const numbers = new Map(known)
  for (const { id } of calls) if (!numbers.has(id)) numbers.set(id, numbers.size + 1)
  return numbers
}

/** Adds a fault from the text of a schedule. @throws ProgramError if it does not fit the calls */
export const addPlace = (
  plan: ProgramPlan,
  { call, phase, effect }: ReturnType<typeof parsePlaces>[number],
  effects: Effects,
): ProgramPlan => {
  const [id] = [...plan.numbers].find(([, number]) => number === call) ?? []
  if (id === undefined) {
    const sent = pluralize(plan.numbers.size, 'call')
    throw new ProgramError(`The schedule does not fit: the program sends ${sent}, so there is no call ${call}.`)
  }
  const [, operation] = parseCallId(id)
  if (operation === null) throw new ProgramError(`The schedule does not fit: call ${call} is no operation.`)
  if (!listPhases(effects[effect]!, operation).includes(phase))
    throw new ProgramError(
      `The schedule does not fit: ${quote(effect)} is not tried ${phase} call ${call}, ${operation}.`,
    )
  return { ...plan, schedule: new Map([...plan.schedule, [id, { phase, effect }]]) }
}

/** Returns the faults with the numbers of their calls, as data and as text. */
export const describePlan = ({ schedule, numbers }: ProgramPlan): { schedule: ProgramFault[]; replay: string } => {
  const faults = [...schedule].map(([id, fault]) => {
    const [project, operation, occurrence] = parseCallId(id)
    return { call: numbers.get(id)!, project, operation: operation!, occurrence, ...fault }
  })
  return { schedule: faults, replay: formatPlaces(faults) }
}
