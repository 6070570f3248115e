import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { expect, it } from 'vitest'
import { connectChecks } from '../../src/client/connect.ts'
import type { Command } from '../../src/control/command.ts'
import { commands } from '../../src/control/commands.ts'
import { createMock } from '../../src/index.ts'
import { ListenOptions, MockOptions } from '../../src/schema/mock-options.ts'
import { root } from '../support/installed.ts'
import { readText } from '../support/read.ts'
import { textOf } from './pages.ts'
import { withTables } from './reference.ts'

const page = 'docs/reference.md'

it('the reference has the tables that the code generates: `npm test -- -u` writes them', async () => {
  const { prettier } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const formatted = await format(await withTables(textOf(page)), { parser: 'markdown', ...prettier })
  await expect(formatted).toMatchFileSnapshot(join(root, page))
})

it('the reference has every body', () => {
  const [, table = ''] = /<!-- bodies -->([^]*)<!-- \/bodies -->/.exec(textOf(page)) ?? []
  const operations = [...table.matchAll(/^\| `(\w+)` +\| `/gm)].map(([, id]) => id)
  expect(operations).toEqual(['createUser', 'searchUsers', 'updateUser', 'createPaymentLink'])
  expect(table).toContain('`partner.user.taxNumber`')
})

it('the reference has every option', () => {
  const rows = [...textOf(page).matchAll(/^\| `(\w+)` +\| `(createMock|listen|connect)` /gm)].map(
    ([, option, owner]) => `${owner} ${option}`,
  )
  const names = (owner: string, options: object) => Object.keys(options).map((option) => `${owner} ${option}`)
  expect(rows).toEqual([
    ...names('createMock', MockOptions.shape),
    ...names('listen', ListenOptions.shape),
    ...names('connect', connectChecks),
  ])
})

it('the guide to the control API names endpoints that exist', () => {
  const endpoints = Object.values<Command>(commands).map(
    ({ method, path, scope }) => `${method} ${scope === 'mock' ? '' : '/projects/acme'}${path}`,
  )
  const named = [...textOf('docs/control-api.md').matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`?]*)/g)].map(
    ([, endpoint]) => endpoint,
  )
  expect(named.length).toBeGreaterThan(20)
  expect(endpoints).toEqual(expect.arrayContaining(named))
})

it('the text for coding assistants in the package is that of a mock at the default address', async () => {
  await using mock = createMock()
  const text = await readText(await mock.fetch('http://127.0.0.1:4600/llms.txt'))
  await expect(text).toMatchFileSnapshot(join(root, 'llms.txt'))
})
