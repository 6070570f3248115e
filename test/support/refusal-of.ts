import { Refusal } from '../../src/schema/error.ts'

/** The refusal that an act ends in. */
export const refusalOf = (act: () => unknown): Refusal => {
  try {
    act()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}
