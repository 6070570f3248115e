// The ids that the mock derives, from its source: the package does not export them.
import { rolldown } from 'rolldown'

const bundle = await rolldown({ input: new URL('../../../src/domain/ids.ts', import.meta.url).pathname })
const { output } = await bundle.generate()

export const { deriveId } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
