import { calibrate, type CalibrationReport, type ProbeKey } from '../../../../src/extensions/calibrate/calibrate.ts'
import type { Mock } from '../../../../src/index.ts'
import { settle } from './ask.ts'

interface Run {
  readonly project?: string
  readonly invoice?: string
  readonly provider?: string
  readonly token?: string
  readonly keys?: readonly ProbeKey[]
  readonly random?: () => number
  readonly wait?: (milliseconds: number) => Promise<void>
}

/** Calibrates a mock without a socket. It is no busy service: nothing but its end is waited for. */
export const calibrateMock = (mock: Pick<Mock, 'fetch'>, run: Run = {}): Promise<CalibrationReport> =>
  calibrate({
    baseUrl: 'http://mock',
    project: 'acme',
    token: 'tok_calibrate',
    invoice: 'inv_given',
    provider: 'partner',
    random: Math.random,
    now: Date.now,
    fetch: (url, init) => mock.fetch(url, init),
    wait: settle,
    ...run,
  })
