import { expect, it } from 'vitest'
import { type ExploreOptions, type InterleaveOptions, replay } from '../../src/explore/index.ts'
import { faultClients, orderClients, recoveringClients } from './clients/index.js'
import { explore, interleave } from './support/searches.ts'

interface PlantedBug<V> {
  readonly name: string
  readonly given: Omit<ExploreOptions, 'flow'> & Omit<InterleaveOptions, 'actors'>
  readonly buggy: V
  readonly corrected: V
}
const flows = faultClients as unknown as PlantedBug<ExploreOptions['flow']>[]
const recovering = recoveringClients as unknown as PlantedBug<InterleaveOptions['actors']>[]
const actors = orderClients as unknown as PlantedBug<InterleaveOptions['actors']>[]

it.each(flows)(
  'finds a fault that shows the bug, and none in the corrected client: $name',
  async ({ given, buggy, corrected }) => {
    const options = { ...given, flow: buggy }
    const { failures } = await explore(options)
    expect(failures).not.toEqual([])
    const { schedule, replay: _, ...end } = failures[0]!
    expect(await replay(options, schedule)).toEqual(end)
    expect((await explore({ ...given, flow: corrected })).failures).toEqual([])
    expect(await explore({ ...given, flow: corrected, faults: 2 })).toMatchObject({
      failures: [],
      exhausted: true,
    })
  },
)

it.each(actors)(
  'finds an order that shows the bug, and none in the corrected client: $name',
  async ({ given, buggy, corrected }) => {
    const options = { ...given, actors: buggy }
    const { failures } = await interleave(options)
    expect(failures).not.toEqual([])
    const { schedule, replay: _, ...end } = failures[0]!
    expect(await replay(options, schedule)).toEqual(end)
    expect(await interleave({ ...given, actors: corrected })).toMatchObject({
      failures: [],
      exhausted: true,
    })
  },
)

it.each(recovering)(
  'finds a lost response in an order that shows the bug, and none in the corrected client: $name',
  async ({ given, buggy, corrected }) => {
    const options = { ...given, actors: buggy }
    expect((await interleave({ ...options, faults: 0 })).failures).toEqual([])
    for (const [name, actor] of Object.entries(buggy))
      expect((await interleave({ ...options, actors: { [name]: actor } })).failures).toEqual([])
    expect((await interleave(options)).failures).not.toEqual([])
    expect(await interleave({ ...options, actors: corrected })).toMatchObject({ failures: [], exhausted: true })
  },
)
