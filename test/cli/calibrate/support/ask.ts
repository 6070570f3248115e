import { calibrate, type CalibrationReport } from '../../../../src/extensions/calibrate/calibrate.ts'
import type { startStandIn } from '../stand-in.ts'

export type StandIn = Awaited<ReturnType<typeof startStandIn>>
export type Settings = Partial<Parameters<typeof calibrate>[0]>

/** The pause before a run checks that nothing of it is left, in milliseconds. */
const settlingTime = 5000

/** The pauses of the clean-up. */
export const settling: readonly number[] = [settlingTime, settlingTime]

/** Waits for nothing but the end of a run. */
export const settle = (milliseconds: number): Promise<void> =>
  milliseconds === settlingTime ? Promise.resolve() : Promise.reject(new Error('Nobody said to wait.'))

/** Asks a stand-in for its behaviors. It is no busy service, unless `wait` says otherwise. */
export const ask = (service: StandIn, settings: Settings = {}): Promise<CalibrationReport> =>
  calibrate({
    baseUrl: service.url,
    project: service.project,
    token: service.token,
    invoice: service.invoice,
    provider: 'partner',
    fetch: (url, init) => fetch(url, init),
    wait: settle,
    now: Date.now,
    random: Math.random,
    ...settings,
  })
