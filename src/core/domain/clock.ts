import {
  type ClockDocument,
  type ClockStatus,
  defaultStart,
  defaultStep,
  minTime,
  maxTime,
} from '../schema/clock-document.ts'

/** Numbers are milliseconds. `now` counts them since 1970. */
export type Clock =
  | { readonly mode: 'real'; readonly offset: number }
  | { readonly mode: 'frozen'; readonly now: number }
  | { readonly mode: 'stepping'; readonly now: number; readonly step: number }

export const readClock = (clock: Clock, systemNow: () => number): number =>
  clock.mode === 'real' ? clampTime(systemNow() + clock.offset) : clock.now

export const advance = (clock: Clock, milliseconds: number): Clock =>
  clock.mode === 'real'
    ? { ...clock, offset: clampTime(clock.offset + milliseconds) }
    : { ...clock, now: clampTime(clock.now + milliseconds) }

/** Limits a time to the years 0 to 9999, whose ISO 8601 strings sort chronologically. */
export const clampTime = (time: number): number => Math.min(Math.max(time, minTime), maxTime)

export const createClock = (document: ClockDocument = { mode: 'real' }, start = Date.parse(defaultStart)): Clock => {
  if (document.mode === 'real') return { mode: 'real', offset: document.offset ?? 0 }
  const now = document.now === undefined ? start : Date.parse(document.now)
  return document.mode === 'frozen'
    ? { mode: 'frozen', now }
    : { mode: 'stepping', now, step: document.step ?? defaultStep }
}

/** Returns the time before which seeded records were created: a fixed day for a real clock. */
export const getStart = (clock: Clock): number => (clock.mode === 'real' ? Date.parse(defaultStart) : clock.now)

export const exportClock = (clock: Clock): ClockDocument =>
  clock.mode === 'real' ? clock : { ...clock, now: new Date(clock.now).toISOString() }

export const getClockStatus = (clock: Clock, systemNow: () => number): ClockStatus => ({
  mode: clock.mode,
  now: new Date(readClock(clock, systemNow)).toISOString(),
  ...(clock.mode === 'stepping' && { step: clock.step }),
})
