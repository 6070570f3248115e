import * as z from 'zod/mini'
import { ClockDocument, ClockStatus, maxTime, minTime } from '../schema/clock-document.ts'
import { intFrom } from '../schema/zod-helpers.ts'
import { defineCommand } from './command.ts'

/** The clock of a project, or those of all. */
export const clockCommands = {
  readClock: defineCommand('both', 'GET', '/clock', 'Retrieve the clock', { response: ClockStatus }).handle(
    ({ store }, { project }) => store.clock.getStatus(project ?? ''),
  ),

  setClock: defineCommand('both', 'PUT', '/clock', 'Set the clock', {
    body: ClockDocument,
    response: ClockStatus,
    examples: {
      real: { summary: 'The real time', value: { mode: 'real' } },
      frozen: { summary: 'A frozen time', value: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' } },
      stepping: { summary: 'One second more with each write', value: { mode: 'stepping', step: 1000 } },
    },
  }).handle(({ store }, { project, body }) => {
    store.clock.set(body, project)
    return store.clock.getStatus(project ?? '')
  }),

  advanceClock: defineCommand('both', 'POST', '/clock/advance', 'Advance the clock', {
    description: 'Runs the scheduled payments that are due then.',
    body: z.object({ milliseconds: intFrom(0, maxTime - minTime) }),
    response: ClockStatus,
    examples: { minute: { summary: 'One minute', value: { milliseconds: 60_000 } } },
  }).handle(({ store }, { project, body }) => {
    store.clock.advance(body.milliseconds, project)
    return store.clock.getStatus(project ?? '')
  }),
}

export const clockSchemas = { Clock: ClockStatus }
