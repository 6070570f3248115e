// The caveats of a search over programs with services.
import type { ProgramRun } from './program-types.ts'

/** Collects the caveats of runs. Each is noted with the text of its schedule. */
export const createServiceCaveats = () => {
  let crashedRuns = 0
  let hasRecovered = false
  let restart: string | undefined
  return {
    note: (
      { steps, ends, error, serviceRestart }: ProgramRun & { readonly error: string | null },
      replay: string,
    ): void => {
      if (steps.some(({ fault }) => fault?.effect === 'crash')) {
        crashedRuns++
        hasRecovered ||= ends.every(({ exitCode }) => exitCode === 0)
      }
      if (error === null && serviceRestart !== undefined) restart ??= `${replay}: ${serviceRestart}`
    },
    list: (): string[] => [
      ...(crashedRuns === 0 || hasRecovered
        ? []
        : [
            'No program exits with 0 after its service was killed, so crashes were not tested: let the program send its request ' +
              'again after a broken connection.',
          ]),
      ...(restart === undefined ? [] : [`A service ended by itself, without a failure, such as in ${restart}.`]),
    ],
  }
}
