// Notices actors that work in real time, as with a timer or WebCrypto, and waits for their calls before a choice is made.
import type { Run } from '../run.ts'
import type { SearchClock } from '../search-clock.ts'
import { isCall } from '../steps.ts'
import type { SignalTimeouts } from './signal-timeouts.ts'

/** How many more times a search may wait for actors that may only be asleep. */
export interface WorkWaits {
  left: number
}

/** Few, because a run cannot tell an actor that works from one that only sleeps. */
export const createWorkWaits = (): WorkWaits => ({ left: 10 })

/** How long to wait for a call, in milliseconds of real time. */
const maxWait = 30

/**
 * Watches the actors before one choice. Returns a function that returns how long to wait before the choice, in milliseconds. It
 * adds an actor to `run.workers` if the actor sends a call during the wait, or is still sending a body after it.
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

/** Lists the actors that wait neither for a response nor for the turn of a call. */
const listIdle = ({ lives, inFlight, listWaiting, isSendingBody }: Run, timeouts: SignalTimeouts): string[] =>
  [...lives.values()].flatMap((life) => {
    const { name, hasEnded } = life.participant
    if (inFlight > 0 || listWaiting(name).some(isCall)) return []
    return isSendingBody(name) || (!hasEnded() && !timeouts.hasOpenCall(life)) ? name : []
  })

/** Whether an actor sends a body that waits for no call and no sleep of this actor. */
const isStreaming = ({ isSendingBody, listWaiting }: Run, name: string): boolean =>
  isSendingBody(name) && listWaiting(name).length === 0

/**
 * Whether to wait for idle actors. If one streams a body, or if they have only timeouts, none of which can end an open call, they
 * probably work. Otherwise they may wait for a sleep or for another actor, so the search waits only a few times.
 */
const mayWork = (run: Run, idle: readonly string[], workWaits: WorkWaits): boolean => {
  if (idle.some((name) => isStreaming(run, name))) return true
  const waiting = idle.flatMap((name) => run.listWaiting(name))
  const haveTimeouts = waiting.length > 0 && waiting.every(({ timeout }) => timeout?.hasCall() === false)
  return haveTimeouts || workWaits.left-- > 0
}
