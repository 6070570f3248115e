import {
  type ClockDocument,
  type ClockStatus,
  defaultStart,
  defaultStep,
  minTime,
  maxTime,
} from '../schema/clock-document.ts'

/** The clock of a project in its state. Times are milliseconds since 1970. */
export type Clock =
  | { readonly mode: 'real'; readonly offset: number }
  | { readonly mode: 'frozen'; readonly now: number }
  | { readonly mode: 'stepping'; readonly now: number; readonly step: number }

/** Returns the time of a clock. Only a real clock uses `systemNow`. */
export const readClock = (clock: Clock, systemNow: () => number): number =>
  clock.mode === 'real' ? clampTime(systemNow() + clock.offset) : clock.now

/** Advances a clock. A real clock is shifted. */
export const advance = (clock: Clock, milliseconds: number): Clock =>
  clock.mode === 'real'
    ? { ...clock, offset: clampTime(clock.offset + milliseconds) }
    : { ...clock, now: clampTime(clock.now + milliseconds) }

/** Limits a time to the years 0 to 9999. Their ISO 8601 texts sort in the order of the times. */
export const clampTime = (time: number): number => Math.min(Math.max(time, minTime), maxTime)

/** Builds a clock. Without `now` it starts at `start`. */
export const createClock = (document: ClockDocument = { mode: 'real' }, start = Date.parse(defaultStart)): Clock => {
  if (document.mode === 'real') return { mode: 'real', offset: document.offset ?? 0 }
  const now = document.now === undefined ? start : Date.parse(document.now)
  return document.mode === 'frozen'
    ? { mode: 'frozen', now }
    : { mode: 'stepping', now, step: document.step ?? defaultStep }
}

/** Returns the start of a clock. Seeded records are older. The start of a real clock is a fixed day. */
export const getStart = (clock: Clock): number => (clock.mode === 'real' ? Date.parse(defaultStart) : clock.now)

export const exportClock = (clock: Clock): ClockDocument =>
  clock.mode === 'real' ? clock : { ...clock, now: new Date(clock.now).toISOString() }

/** Returns the mode of a clock and its current time, as the control API shows them. */
export const getClockStatus = (clock: Clock, systemNow: () => number): ClockStatus => ({
  mode: clock.mode,
  now: new Date(readClock(clock, systemNow)).toISOString(),
  ...(clock.mode === 'stepping' && { step: clock.step }),
})
