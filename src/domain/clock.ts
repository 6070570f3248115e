import { type ClockDocument, type ClockReading, defaultStart, defaultStep, earliest, latest } from '../schema/clock.ts'

/** A project's clock as state holds it. Times are milliseconds since 1970. */
export type Clock =
  | { readonly mode: 'real'; readonly offset: number }
  | { readonly mode: 'frozen'; readonly now: number }
  | { readonly mode: 'stepping'; readonly now: number; readonly step: number }

/** The time a clock shows. Only a real clock uses `systemNow`. */
export const timeOf = (clock: Clock, systemNow: () => number): number =>
  clock.mode === 'real' ? inRange(systemNow() + clock.offset) : clock.now

/** The clock after a write: a write gets the time, then a stepping clock steps. */
export const afterWrite = (clock: Clock): Clock =>
  clock.mode === 'stepping' ? { ...clock, now: inRange(clock.now + clock.step) } : clock

/** The clock, moved: a real one is shifted. */
export const advanced = (clock: Clock, milliseconds: number): Clock =>
  clock.mode === 'real'
    ? { ...clock, offset: inRange(clock.offset + milliseconds) }
    : { ...clock, now: inRange(clock.now + milliseconds) }

/** A time that can be written, and that sorts as text: beyond the years 0 to 9999 a clock stands still. */
export const inRange = (time: number): number => Math.min(Math.max(time, earliest), latest)

/** Builds a clock. Without `now` it starts at `start`. */
export const clockOf = (document: ClockDocument = { mode: 'real' }, start = Date.parse(defaultStart)): Clock => {
  if (document.mode === 'real') return { mode: 'real', offset: document.offset ?? 0 }
  const now = document.now === undefined ? start : Date.parse(document.now)
  return document.mode === 'frozen'
    ? { mode: 'frozen', now }
    : { mode: 'stepping', now, step: document.step ?? defaultStep }
}

/** The start of a clock. Seeded records are older. A real clock has a fixed day as its start. */
export const startOf = (clock: Clock): number => (clock.mode === 'real' ? Date.parse(defaultStart) : clock.now)

/** The clock as a document writes it. */
export const clockDocument = (clock: Clock): ClockDocument =>
  clock.mode === 'real' ? clock : { ...clock, now: new Date(clock.now).toISOString() }

/** The clock with its current time. */
export const clockReading = (clock: Clock, systemNow: () => number): ClockReading => ({
  mode: clock.mode,
  now: new Date(timeOf(clock, systemNow)).toISOString(),
  ...(clock.mode === 'stepping' && { step: clock.step }),
})
