import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire, register } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../support/installed.ts'
import { loadDocument } from '../support/openapi.ts'

// The generator needs the JavaScript API of TypeScript 5, which TypeScript 7 does not have: it gets one that has no
// place in `node_modules/.bin`, so that `tsc` stays ours.
const compiler = createRequire(import.meta.url).resolve('@ts-morph/common/dist/typescript.js')
const instead = { url: pathToFileURL(compiler).href, format: 'commonjs', shortCircuit: true }
const hook = `export const resolve = (specifier, context, next) =>
  specifier === 'typescript' ? ${JSON.stringify(instead)} : next(specifier, context)`
register(`data:text/javascript,${encodeURIComponent(hook)}`)
const { default: generate, astToString } = await import('openapi-typescript')

/** What a client may send and receive, and what it may not. */
const client = `
import type { components, paths } from './types.ts'

type Bodies = components['schemas']
type Query = NonNullable<paths['/projects/{project}/paymentLinks']['get']['parameters']['query']>
type Deleted = paths['/projects/{project}/users/{user}']['delete']['responses'][200]['content']['application/json']

export const user: Bodies['CreateUserBody'] = { email: 'ada@example.com', birthday: null, metadata: { a: [1, null] } }
export const link: Bodies['CreatePaymentLinkBody'] = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }
export const query: Query = { status: ['canceled', 'completed'], limit: 2 }
export const deleted = (body: Deleted): Bodies['User'] => body
export const canceledAt = (body: Bodies['PaymentLink']): string | null => body.canceledAt
// @ts-expect-error \`email\` is required
export const withoutEmail: Bodies['CreateUserBody'] = {}
// @ts-expect-error an invalid \`type\`
export const card: Bodies['CreatePaymentLinkBody'] = { invoice: 'inv_1', type: 'card', partner: { user: {} } }
// @ts-expect-error an unknown status
export const open: Query = { status: ['open'] }
`

/** Compiles the types for a document, and a program that uses them. Returns the errors. */
const compile = async (options: Parameters<typeof loadDocument>[0], program: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'client-types-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [types, user] = [join(folder, 'types.ts'), join(folder, 'client.ts')]
  await writeFile(types, astToString(await generate(JSON.stringify(await loadDocument(options)))))
  await writeFile(user, program)
  const flags = ['--noEmit', '--ignoreConfig', '--strict', '--allowImportingTsExtensions']
  return spawnSync(join(root, 'node_modules/.bin/tsc'), [...flags, types, user], { encoding: 'utf8' }).stdout
}

it('the types of openapi-typescript accept what the mock accepts, and nothing else', async () => {
  expect(await compile({}, client)).toBe('')
})

it('the types for another provider and base path compile', async () => {
  expect(await compile({ provider: 'acme-pay', basePath: '/v1' }, '')).toBe('')
})
