// The order of the calls of a run: whenever each program has a call that waits or has ended, a call is chosen.
import type { Choice, Decide, GetExpected } from '../steps.ts'
import type { Member, RunState } from './run-state.ts'

/** How long to wait at first for another call of a program that sends several at the same time, in milliseconds. */
const minGrace = 50

/** How long the runs of a search wait for another call of a program at a new step: it may send it a moment later. */
export class Graces {
  readonly #known = new Map<string, number>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** Returns the wait in milliseconds. Only a run without a fault waits for a program that never sent several at the same time. */
  get(program: string, isBaseline: boolean): number {
    return this.#known.get(program) ?? (isBaseline ? minGrace : 0)
  }

  /** Notes that a program sent several calls at the same time. `isLate`: one came after the choice of another. */
  raise(program: string, isLate: boolean): void {
    const grace = this.#known.get(program) ?? minGrace
    this.#known.set(program, isLate ? Math.min(4 * grace, this.#max) : grace)
  }
}

export interface TurnOptions {
  /** How long a program may send no call before the others go on without it, in milliseconds. */
  readonly settle: number
  readonly graces: Graces
  /** The order in which the programs of a run without a fault run one after the other. Undefined: they start together. */
  readonly order: readonly string[] | undefined
  readonly getExpected: GetExpected
}

/** The longest wait for a change that nothing announces, in milliseconds. */
const maxWait = 10_000

interface TurnHandlers {
  readonly decide: Decide
  /** Starts the next programs. Returns false if none are left. */
  readonly startNext: () => boolean
  /** Is called before each choice. */
  readonly onChoice: () => void
}

/**
 * Chooses calls until all programs have ended. Returns false if `decide` gave up.
 *
 * @throws unknown if a program could not be started
 */
export const chooseCalls = async (
  state: RunState,
  options: TurnOptions,
  { decide, startNext, onChoice }: TurnHandlers,
): Promise<boolean> => {
  const { members, isOrdered, ending } = state
  for (;;) {
    if (state.failure !== undefined) throw state.failure
    if (ending.signal.aborted) {
      await state.waitForEnds()
      return true
    }
    const waiting = state.countWaiting()
    if (waiting === 0 && state.inFlight === 0) {
      const running = [...members.values()].filter(({ end }) => end === undefined)
      if (running.every(({ isPassedOver }) => isPassedOver) && startNext()) continue
      if (running.length === 0) return true
    }
    const pause = isOrdered ? getPause(state, options) : 0
    if (waiting === 0 || pause > 0) {
      await state.waitForChange(pause > 0 ? Math.min(pause, maxWait) : maxWait)
      continue
    }
    onChoice()
    if (!takeStep(state, decide)) return false
  }
}

/** Returns how long to wait for a program before the next choice, in milliseconds. 0: not at all. Infinity: for a response. */
const getPause = (state: RunState, { settle, graces, order, getExpected }: TurnOptions): number => {
  if (state.inFlight > 0) return Infinity
  const expected = getExpected(state.steps.length)
  /** How long to wait for a further call of a program with a waiting call. */
  const getLimit = ({ name, waiting }: Member) => {
    if (expected === undefined) return graces.get(name, order !== undefined)
    const ids = new Set(waiting.map(({ choice }) => choice.id))
    return expected.some(({ actor, id }) => actor === name && !ids.has(id)) ? settle : 0
  }
  const now = performance.now()
  let pause = 0
  for (const member of state.members.values()) {
    if (member.end !== undefined || member.isPassedOver) continue
    const left = member.active + (member.waiting.length > 0 ? getLimit(member) : settle) - now
    if (left > 0) pause = Math.max(pause, left)
    else if (member.waiting.length === 0) {
      member.isPassedOver = true
      state.giveUp(`${member.name} sent no call for ${settle / 1000} s, so the others went on without it`)
    }
  }
  return pause
}

/** Lets the call pass that `decide` chooses. Returns false if it gave up. */
const takeStep = (state: RunState, decide: Decide): boolean => {
  const { members, steps, isOrdered } = state
  const held = [...members.values()].flatMap((member) =>
    member.waiting
      .toSorted((a, b) => (a.choice.id < b.choice.id ? -1 : 1))
      .map((call, index) => {
        const text = index === 0 ? member.name : `${member.name}:${index + 1}`
        return { member, call, choice: { ...call.choice, text } }
      }),
  )
  // Without an order, calls pass as they come.
  const ready: Choice[] = held.slice(0, isOrdered ? undefined : 1).map(({ choice }) => choice)
  const decision = decide(ready, steps)
  if (decision === undefined) return false
  for (const { call } of held) call.wasOffered = true
  const chosen = held.find(({ choice }) => choice.id === decision.choice.id)
  if (chosen === undefined) throw new Error(`No call waits that is ${decision.choice.id}.`)
  const { member, call, choice } = chosen
  member.waiting = member.waiting.filter((one) => one !== call)
  const step = { ...choice, fault: decision.fault, ready, accesses: new Map(), time: state.getTime() }
  steps.push(step)
  if (state.inFlight++ > 0) state.hasOverlaps = true
  call.proceed(step)
  return true
}
