import type { MockError } from '../../src/schema/error.ts'

/** Returns the error that an action throws. */
export const toMockError = (act: () => unknown): MockError => {
  try {
    act()
  } catch (error) {
    // By its name: a package that is installed brings a class of its own.
    if (error instanceof Error && error.name === 'MockError') return error as MockError
    throw error
  }
  throw new Error('Nothing was refused.')
}
