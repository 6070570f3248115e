import type { CoverageItem, Mock } from '../../src/node/index.ts'

/** Makes the calls that prepare a situation in a project. Returns the id of the record that the first one creates. */
export const prepareSituation = async (
  { fetch }: Pick<Mock, 'fetch'>,
  project: string,
  calls: CoverageItem['show'] = [],
): Promise<string | undefined> => {
  const ids: (string | undefined)[] = []
  for (const { method, path, body } of calls) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`/__admin/projects/${project}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
    ids.push((await response.json()).id)
  }
  return ids[0]
}
