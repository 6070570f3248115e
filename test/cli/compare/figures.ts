// The figures that `node test/quality compare` prints.
import { createRandom, type Random } from './random.ts'

const { COMPARE_PROGRAMS } = process.env

/** How many random programs are tried. */
export const programs = Number(COMPARE_PROGRAMS ?? 5)

/** Calls a function for each random program, with its seed. */
export const forEachSeed = async (run: (random: Random, seed: number) => Promise<void>): Promise<void> => {
  for (let seed = 1; seed <= programs; seed++) await run(createRandom(seed), seed)
}

export const printFigure = (text: string): void => {
  if (COMPARE_PROGRAMS !== undefined) console.log(text)
}
