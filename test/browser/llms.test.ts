import { describe, expect, it, onTestFinished } from 'vitest'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { behaviorKeys } from '../../src/schema/behavior.ts'
import type { Command } from '../../src/control/command.ts'
import { commands } from '../../src/control/commands.ts'
import { Effect, FaultRule } from '../../src/schema/fault.ts'
import { Matcher } from '../../src/schema/matcher.ts'
import { operationRoutes } from '../../src/schema/operation-routes.ts'
import { readJson, readText } from '../support/read.ts'

const start = async (options: MockOptions = {}, prefix = '') => {
  const mock = createMock({ clock: '2025-01-01T00:00:00.000Z', ...options })
  onTestFinished(() => mock.close())
  return { mock, text: await readText(mock.fetch(`${prefix}/llms.txt`)) }
}

const names = (schema: { readonly shape: object }) => Object.keys(schema.shape)

/** The methods and paths that a text names. */
const routesIn = (text: string) =>
  [...text.matchAll(/`([A-Z]+) (\/[^` ]*)`/g)].map(([, method, path]) => ({ method: method!, path: path! }))

const settings: [string, MockOptions, string, string][] = [
  ['by default', {}, '', ''],
  ['with other options', { basePath: '/v1', provider: 'acmePay', behaviors: { errorFormat: 'problem' } }, '', '/v1'],
  ['in a sandbox', { basePath: '/v1' }, '/@checkout-1', '/@checkout-1/v1'],
]

describe.each(settings)('the text for coding assistants, %s', (_, options, prefix, base) => {
  it('has less than 200 lines', async () => {
    const { text } = await start(options, prefix)
    expect(text.split('\n').length).toBeLessThan(200)
  })

  it('lists each operation, command, behavior and field of a fault', async () => {
    const { text } = await start(options, prefix)
    const operations = Object.values(operationRoutes).map(({ method, path }) => `- \`${method} ${base}${path}\``)
    const ofControl = Object.values<Command>(commands).map(
      ({ scope, method, path }) =>
        `- \`${method} ${prefix}/__admin${scope === 'mock' ? '' : '/projects/{project}'}${path}\``,
    )
    const fields = [...behaviorKeys, ...names(FaultRule), ...names(Effect)].map((name) => `\`${name}\``)
    const inMatch = names(Matcher)
      .filter((name) => name !== 'status')
      .map((name) => `${name}?`)
    const expected = [...operations, ...ofControl, ...fields, ...inMatch]
    expect(expected.filter((part) => !text.includes(part))).toEqual([])
  })

  it('names only routes that exist', async () => {
    const { mock, text } = await start(options, prefix)
    const [apis = '', more = ''] = text.split('## More')
    expect([routesIn(apis).length > 80, routesIn(more).length]).toEqual([true, 4])
    for (const { method, path } of routesIn(apis)) {
      const { headers } = await mock.fetch(path.replace(/\{\w+\}/g, 'x'), { method: 'OPTIONS' })
      expect([path, headers.get('allow')?.split(', ')]).toEqual([path, expect.arrayContaining([method])])
    }
    for (const { path } of routesIn(more)) expect([path, (await mock.fetch(path)).status]).toEqual([path, 200])
  })
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
