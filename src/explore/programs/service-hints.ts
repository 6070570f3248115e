import type { Program } from './program.ts'
import type { SharedOptions, ProgramRun, RunNotes } from './program-types.ts'

export const serviceHint =
  "If it is a web service, run it beside a program that plays its customer: --service 'node server.js' --reset 'rm -f shop.db' -- node " +
  'customer.js. The service listens on PORT, the customer calls SERVICE_URL, and --reset deletes what the service keeps.'

/** Gives one hint if an idle program listens on a port, or its service is not ready. Returns a function that stops watching. */
export const watchIdlePrograms = (
  programs: ReadonlyMap<string, Program>,
  notes: RunNotes,
  { timeout, onHint }: Pick<SharedOptions, 'timeout' | 'onHint'>,
): (() => void) => {
  const interval = Math.min(500, timeout / 16)
  const giveHint = (text: string) => {
    clearInterval(timer)
    onHint(text)
  }
  const timer = setInterval(() => {
    for (const program of programs.values()) {
      const { service, active } = program
      if (program.hasEnded() || performance.now() - active < 10 * interval) continue
      if (service?.state === 'starting') return giveHint(`The service ${service.describeUnready('ready yet')}`)
      if (service !== undefined) continue
      notes.isListening = program.isListening()
      if (notes.isListening) return giveHint(`The program listens on a port and sends no call. ${serviceHint}`)
    }
  }, interval)
  return () => clearInterval(timer)
}

export const createServiceCaveats = () => {
  /** For `crash` and `reset`, whether all programs exited with 0 in at least one run with that effect. */
  const hasRecovered = new Map<string, boolean>()
  let restart: string | undefined
  return {
    note: (
      { steps, ends, error, serviceRestart }: ProgramRun & { readonly error: string | null },
      replay: string,
    ): void => {
      for (const { fault } of steps)
        if (fault?.effect === 'crash' || fault?.effect === 'reset')
          hasRecovered.set(fault.effect, hasRecovered.get(fault.effect) || ends.every(({ exitCode }) => exitCode === 0))
      if (error === null && serviceRestart !== undefined) restart ??= `${replay}: ${serviceRestart}`
    },
    list: (): string[] => {
      const untested = [...hasRecovered].flatMap(([effect, isTested]) => (isTested ? [] : [effect]))
      const caveats: string[] = []
      if (untested.length > 0)
        caveats.push(
          `No program exits with 0 after ${untested.join(' or ')}, so no second attempt was tried: let the program send its request again ` +
            'after an error or a broken connection.',
        )
      if (restart !== undefined) caveats.push(`A service ended by itself, without a failure, such as in ${restart}.`)
      return caveats
    },
  }
}
