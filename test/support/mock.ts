import { onTestFinished } from 'vitest'
import { createMock, type ListenOptions, type MockOptions } from '../../src/node/index.ts'

/** Creates a mock that closes when the test ends. */
export const closingMock = (options?: MockOptions) => {
  const mock = createMock(options)
  onTestFinished(() => mock.close())
  return mock
}

/** Starts a mock that listens until the test ends. */
export const listeningMock = async (options?: MockOptions, listen?: ListenOptions) => {
  const mock = closingMock(options)
  return { ...(await mock.listen(listen)), mock }
}
