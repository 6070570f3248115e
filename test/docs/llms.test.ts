import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Command } from '../../src/core/control/command.ts'
import { commands } from '../../src/core/control/commands.ts'
import { createMock } from '../../src/index.ts'
import { behaviorKeys } from '../../src/core/schema/behavior.ts'
import { Effect, FaultRule } from '../../src/core/schema/fault.ts'
import { Matcher } from '../../src/core/schema/matcher.ts'
import { operationRoutes } from '../../src/core/schema/operation-routes.ts'
import { root } from '../support/installed.ts'
import { readJson } from '../support/read.ts'
import { formatLlmsText } from './llms-text.ts'

const start = async () => {
  const mock = createMock({ clock: '2025-01-01T00:00:00.000Z' })
  const readDocument = (path: string) => readJson(mock.fetch(path))
  return {
    mock,
    text: formatLlmsText(await readDocument('/openapi.json'), await readDocument('/__admin/openapi.json')),
  }
}

it('the text for coding assistants in the package is that of this code', async () => {
  const { text } = await start()
  await expect(text).toMatchFileSnapshot(join(root, 'llms.txt'))
})

const fieldNames = (schema: { readonly shape: object }) => Object.keys(schema.shape)

const routesIn = (text: string) =>
  [...text.matchAll(/`([A-Z]+) (\/[^` ]*)`/g)].map(([, method, path]) => ({ method: method!, path: path! }))

it('the text for coding assistants is short, complete and true', async () => {
  const { mock, text } = await start()
  expect(text.split('\n').length).toBeLessThan(200)

  const operations = Object.values(operationRoutes).map(({ method, path }) => `- \`${method} ${path}\``)
  const ofControl = Object.values<Command>(commands).map(
    ({ scope, method, path }) => `- \`${method} /__admin${scope === 'mock' ? '' : '/projects/{project}'}${path}\``,
  )
  const fields = [...behaviorKeys, ...fieldNames(FaultRule), ...fieldNames(Effect)].map((name) => `\`${name}\``)
  const inMatch = fieldNames(Matcher).filter((name) => name !== 'status')
  const expected = [...operations, ...ofControl, ...fields, ...inMatch.map((name) => `${name}?`)]
  expect(expected.filter((part) => !text.includes(part))).toEqual([])

  const [apis = '', more = ''] = text.split('## More')
  expect([routesIn(apis).length > 80, routesIn(more).length]).toEqual([true, 4])
  for (const { method, path } of routesIn(apis)) {
    const { headers } = await mock.fetch(path.replace(/\{\w+\}/g, 'x'), { method: 'OPTIONS' })
    expect([path, headers.get('allow')?.split(', ')]).toEqual([path, expect.arrayContaining([method])])
  }
  for (const { path } of routesIn(more)) expect([path, (await mock.fetch(path)).status]).toEqual([path, 200])
})

it('has recipes whose commands succeed in their order', async () => {
  const { mock, text } = await start()
  const recipes = text.split('## Recipes')[1]!.split('## More')[0]!.split(/^- /m).slice(1)
  expect(recipes.length).toBeGreaterThan(10)
  const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
  const link = JSON.stringify({ invoice: 'inv_1', type: 'partner', partner: { user: {} } })
  const create = async () =>
    readJson(mock.fetch('/projects/acme/paymentLinks', { method: 'POST', headers, body: link }), 201)
  for (const recipe of recipes) {
    await mock.reset()
    let ids: Record<string, string> = { project: 'acme', paymentLink: (await create()).id, name: 'before' }
    const held: Promise<unknown>[] = []
    for (const [, method, path, body] of recipe.matchAll(/`([A-Z]+) (\/[^`]*)`(?: `([^`]*)`)?/g)) {
      if (path!.endsWith('/wait')) held.push(create())
      const address = path!.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!)
      const response = await mock.fetch(address, { method: method!, headers, ...(body !== undefined && { body }) })
      expect([recipe, response.ok]).toEqual([recipe, true])
      if (path!.endsWith('/faults')) ids = { ...ids, fault: (await readJson(response, 201)).id }
    }
    await Promise.all(held)
  }
})
