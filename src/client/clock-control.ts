import type { ClockDocument, ClockStatus } from '../schema/clock-document.ts'
import type { ScopedCall } from './call.ts'

/** The clock of one project or of all. */
export interface ClockControl {
  /** The clock of the project, or of all projects. */
  readonly clock: {
    /** Returns the clock with its current time. */
    get(): Promise<ClockStatus>
    /** Without `now`, a frozen or stepping clock starts at its current time. */
    set(clock: ClockDocument): Promise<ClockStatus>
    /**
     * Advances the clock. Scheduled payments that are due then run in order, each with its own time.
     *
     * @throws MockError `invalidBody` for a negative number
     * @example
     * await acme.clock.advance(60_000)
     */
    advance(milliseconds: number): Promise<ClockStatus>
  }
}

/** Creates the functions of the clock. */
export const createClockControl = (call: ScopedCall): ClockControl => ({
  clock: {
    get: () => call('readClock'),
    set: (body) => call('setClock', { body }),
    advance: (milliseconds) => call('advanceClock', { body: { milliseconds } }),
  },
})
