import { clockReading } from '../domain/clock.ts'
import { advanceClock, setClock } from '../domain/documents.ts'
import type { ControlOptions, Handlers } from './task.ts'

/** What time it is, for all projects and those to come, or for one. */
export const clocks = ({ world, systemNow }: ControlOptions): Handlers<'readClock' | 'setClock' | 'advanceClock'> => {
  const read = (project?: string) =>
    clockReading((project === undefined ? world.state() : world.read(project)).clock, systemNow)
  return {
    readClock: { one: ({ project }) => read(project), all: () => read() },
    setClock: {
      one: ({ project, body }) => {
        setClock(world, body, project)
        return read(project)
      },
      all: ({ body }) => {
        setClock(world, body)
        return read()
      },
    },
    advanceClock: {
      one: ({ project, body }) => {
        advanceClock(world, body.milliseconds, project)
        return read(project)
      },
      all: ({ body }) => {
        advanceClock(world, body.milliseconds)
        return read()
      },
    },
  }
}
