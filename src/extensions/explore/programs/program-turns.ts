// The order of the calls of a run: whenever each program has a call that waits or has ended, a call is chosen.
import type { Choice, Decide, GetExpected } from '../steps.ts'
import type { Member, RunState } from './run-state.ts'

interface TurnOptions {
  /** How long a program may send no call before the others go on without it, in milliseconds. */
  readonly settle: number
  /** How long to wait for another call of a program at a new step, in milliseconds. */
  readonly getGrace: (program: string) => number
  readonly getExpected: GetExpected
  /** Is called before each choice. */
  readonly onChoice: () => void
}

/** The longest wait for a change that nothing announces, in milliseconds. */
const maxWait = 10_000

/** Chooses calls until all programs have ended. Returns false if `decide` gave up. */
export const chooseCalls = async (state: RunState, options: TurnOptions, decide: Decide): Promise<boolean> => {
  const { members, isOrdered, ending } = state
  for (;;) {
    if (ending.signal.aborted) {
      await Promise.all([...members.values()].map(({ running }) => running!.ended))
      return true
    }
    const hasEnded = [...members.values()].every(({ end }) => end !== undefined)
    const waiting = state.countWaiting()
    if (waiting === 0 && hasEnded && state.inFlight === 0) return true
    const pause = isOrdered ? getPause(state, options) : 0
    if (waiting === 0 || pause > 0) {
      await state.waitForChange(pause > 0 ? Math.min(pause, maxWait) : maxWait)
      continue
    }
    options.onChoice()
    if (!takeStep(state, decide)) return false
  }
}

/** Returns how long to wait for a program before the next choice, in milliseconds. 0: not at all. Infinity: for a response. */
const getPause = (state: RunState, { settle, getGrace, getExpected }: TurnOptions): number => {
  if (state.inFlight > 0) return Infinity
  const expected = getExpected(state.steps.length)
  /** How long to wait for a further call of a program with a waiting call. */
  const getLimit = ({ name, waiting }: Member) => {
    if (expected === undefined) return getGrace(name)
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
  const held = [...members.values()].flatMap(({ waiting }) =>
    waiting.toSorted((a, b) => (a.choice.id < b.choice.id ? -1 : 1)),
  )
  const choices: Choice[] = held.map(({ choice }) => {
    const position = held.filter((one) => one.choice.actor === choice.actor).findIndex((one) => one.choice === choice)
    return { ...choice, text: position === 0 ? choice.actor : `${choice.actor}:${position + 1}` }
  })
  // Without an order, calls pass as they come.
  const ready = isOrdered ? choices : choices.slice(0, 1)
  const decision = decide(ready, steps)
  if (decision === undefined) return false
  const { choice, fault } = decision
  for (const one of held) one.wasOffered = true
  const member = members.get(choice.actor)!
  member.waiting = member.waiting.filter((one) => one.choice.id !== choice.id)
  steps.push({ ...choice, fault, ready, accesses: new Map(), time: state.getTime() })
  state.inFlight++
  held.find((one) => one.choice.id === choice.id)!.proceed(steps.at(-1)!)
  return true
}
