import { expect, it } from 'vitest'
import type { InterleaveOptions } from '../../src/explore/index.ts'
import { recovering } from './clients/recovering.js'
import { interleave } from './support/searches.ts'

// The programs of the corpus have the bugs that need a fault or an order alone.
type PlantedBug = Record<'buggy' | 'corrected', InterleaveOptions['actors']> & {
  given: Omit<InterleaveOptions, 'actors'>
}

it.each(recovering as unknown as PlantedBug[])('finds only the bug of $name', async ({ given, buggy, corrected }) => {
  const options = { ...given, actors: buggy }
  expect((await interleave({ ...options, faults: 0 })).failures).toEqual([])
  for (const [name, actor] of Object.entries(buggy))
    expect((await interleave({ ...options, actors: { [name]: actor } })).failures).toEqual([])
  expect((await interleave(options)).failures).not.toEqual([])
  expect(await interleave({ ...options, actors: corrected })).toMatchObject({ failures: [], exhausted: true })
})
