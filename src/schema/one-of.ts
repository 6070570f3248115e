import * as z from 'zod'
import { nearest } from './nearest.ts'
import { listText } from './problem.ts'

/** One of these names. A name that is none of them is refused with the one that was probably meant. */
export const oneOf = <const N extends string>(names: readonly N[]) =>
  z.enum(names, {
    error: ({ input }) => {
      const meant = typeof input === 'string' ? nearest(input, names) : undefined
      return meant === undefined || meant === input ? `must be ${listText(names)}` : `must be spelled '${meant}'`
    },
  })
