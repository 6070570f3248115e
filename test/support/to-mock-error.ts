import type { MockError } from '../../src/schema/error.ts'

/** Returns the error that an action throws. */
export const toMockError = (act: () => unknown): MockError => {
  try {
    act()
  } catch (error) {
    // Checks the name, because an installed package has a different class.
    if (error instanceof Error && error.name === 'MockError') return error as MockError
    throw error
  }
  throw new Error('Nothing was thrown.')
}
