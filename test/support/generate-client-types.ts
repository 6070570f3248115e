import { createRequire, register } from 'node:module'
import { pathToFileURL } from 'node:url'
import { format, resolveConfig } from 'prettier'
import type { OpenApiDocument } from './openapi.ts'

/** The output of openapi-typescript for a document, in the style of this repository. */
export const generateClientTypes = async (document: OpenApiDocument): Promise<string> => {
  const { default: openapiTs, astToString } = await generator()
  const source = astToString(await openapiTs(withoutProse(document)))
  return format(source, { ...(await resolveConfig(import.meta.filename)), parser: 'typescript' })
}

const require = createRequire(import.meta.url)

// The generator needs the JavaScript API of TypeScript 5, which TypeScript 7 does not have: it gets one that has no
// place in `node_modules/.bin`, so that `tsc` stays ours.
const generator = async (): Promise<typeof import('openapi-typescript')> => {
  const compiler = require.resolve('@ts-morph/common/dist/typescript.js')
  const instead = { url: pathToFileURL(compiler).href, format: 'commonjs', shortCircuit: true }
  const hook = `export const resolve = (specifier, context, next) =>
    specifier === 'typescript' ? ${JSON.stringify(instead)} : next(specifier, context)`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
  return import('openapi-typescript')
}

// Types do not contain these, and a better sentence must not change a committed file.
const prose = new Set(['description', 'summary', 'example', 'examples'])

const withoutProse = (document: OpenApiDocument) =>
  JSON.parse(JSON.stringify(document, (key, value: unknown) => (prose.has(key) ? undefined : value)))
