import { expect, it } from 'vitest'
import { startClock } from '../../src/extensions/explore/search-clock.ts'

it('several runs at the same time settle', async () => {
  using clock = startClock({ signal: undefined, budget: null, maxRuns: 10, onProgress: undefined })
  await expect(Promise.all([clock.settle(), clock.settle(), clock.settle()])).resolves.toHaveLength(3)
})
