import { describe } from 'vitest'
import type { MockOptions } from '../../src/node/index.ts'
import { type Api, startApi, transports } from './api.ts'

/** Runs one suite twice: in process, and over HTTP. */
export const describeMatrix = (name: string, suite: (start: (options?: MockOptions) => Promise<Api>) => void): void => {
  describe.each(transports)(`${name}, %s`, (transport) => {
    suite((options) => startApi(transport, options))
  })
}
