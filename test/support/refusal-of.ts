import type { Refusal } from '../../src/schema/error.ts'

/** The refusal that an act ends in. */
export const refusalOf = (act: () => unknown): Refusal => {
  try {
    act()
  } catch (error) {
    // By its name: a package that is installed brings a class of its own.
    if (error instanceof Error && error.name === 'Refusal') return error as Refusal
    throw error
  }
  throw new Error('Nothing was refused.')
}
