// Detects actors that work in real time, for example with a timer or WebCrypto, and waits for their calls before each choice.
import type { Run } from '../run.ts'
import type { SearchClock } from '../search-clock.ts'
import { isCall } from '../steps.ts'
import type { SignalTimeouts } from './signal-timeouts.ts'

export interface WorkWaits {
  /** How many more times the search may wait for actors that might only be sleeping. */
  left: number
}

/** Allows only a few waits, because a run cannot tell whether an actor works or only sleeps. */
export const createWorkWaits = (): WorkWaits => ({ left: 10 })

/** How long to wait for calls from idle actors before the search makes a choice, in milliseconds of real time. */
const maxWait = 30

/**
 * Returns a function that returns how long to wait before the next choice, in milliseconds. The function adds an actor to
 * `run.workers` if the actor makes a call or ends during the wait, or is still sending a body after it.
 */
export const watchWork = (run: Run, clock: SearchClock, timeouts: SignalTimeouts, workWaits: WorkWaits) => {
  let end: number | undefined
  let watched: readonly string[] = []
  return (hasChoice: boolean): number => {
    const idle = listIdle(run, timeouts)
    for (const name of watched) if (!idle.includes(name)) run.workers.add(name)
    watched = watched.filter((name) => idle.includes(name))
    if (hasChoice && idle.length > 0 && end === undefined && mayWork(run, idle, workWaits)) {
      watched = idle
      end = clock.now() + maxWait
    }
    if (end !== undefined && end <= clock.now())
      for (const name of watched) if (isStreaming(run, name)) run.workers.add(name)
    return end === undefined || watched.length === 0 ? 0 : end - clock.now()
  }
}

/** Lists the actors that may be working: no call of theirs is waiting for its turn or for a response. */
const listIdle = ({ lives, inFlight, listWaiting, isSendingBody }: Run, timeouts: SignalTimeouts): string[] =>
  [...lives.values()].flatMap((life) => {
    const { name, hasEnded } = life.participant
    if (inFlight > 0 || listWaiting(name).some(isCall)) return []
    return isSendingBody(name) || (!hasEnded() && !timeouts.hasOpenCall(life)) ? name : []
  })

/** Whether an actor is sending a body, and has no call or sleep that waits for its turn. */
const isStreaming = ({ isSendingBody, listWaiting }: Run, name: string): boolean =>
  isSendingBody(name) && listWaiting(name).length === 0

/**
 * Decides whether to wait for idle actors. They probably work if one of them streams a body, or if they wait only for timeouts
 * that cannot end an open call. Otherwise they may wait for a sleep or another actor, so the search waits only a few times.
 */
const mayWork = (run: Run, idle: readonly string[], workWaits: WorkWaits): boolean => {
  if (idle.some((name) => isStreaming(run, name))) return true
  const waiting = idle.flatMap((name) => run.listWaiting(name))
  const haveTimeouts = waiting.length > 0 && waiting.every(({ timeout }) => timeout?.hasCall() === false)
  return haveTimeouts || workWaits.left-- > 0
}
