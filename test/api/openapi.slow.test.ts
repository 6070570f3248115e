import { type Config, createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it, describe } from 'vitest'
import { buildControlContract } from '../support/control-contract.ts'
import { loadDocument, type OpenApiDocument, buildContract } from '../support/openapi.ts'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { createDraws } from '../../src/core/domain/ids.ts'
import type { BehaviorChoices, BehaviorKey, Behaviors } from '../../src/core/schema/behavior.ts'
import { behaviorRegistry } from '../../src/core/schema/behavior.ts'
import { startApi } from '../support/api.ts'
import { readJson } from '../support/read.ts'

const expectNoWarnings = async (document: OpenApiDocument, rules: Record<string, 'off'> = {}) => {
  const config: Config = await createConfig({ extends: ['recommended-strict'], rules })
  const found = await lintFromString({ source: JSON.stringify(document), config })
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
}

/** Few combinations of behaviors that have every pair of their values. The first one has the defaults. */
const listBehaviorPairs = <K extends BehaviorKey>(keys: readonly K[]): readonly Pick<Behaviors, K>[] => {
  const draw = createDraws('pairs')
  const listPairs = (row: readonly number[]) =>
    row.flatMap((a, first) => row.slice(first + 1).map((b, next) => `${first} ${a} ${first + 1 + next} ${b}`))
  const rows = [keys.map(() => 0)]
  const seen = new Set(listPairs(rows[0]!))
  const countNew = (row: readonly number[]) => listPairs(row).filter((pair) => !seen.has(pair)).length
  // The best of many random rows, until none of them has a new pair.
  const next = () =>
    Array.from({ length: 1000 }, () => keys.map((key) => draw() % behaviorRegistry[key].values.length)).reduce(
      (best, row) => (countNew(row) > countNew(best) ? row : best),
    )
  for (let row = next(); countNew(row) > 0; row = next()) {
    rows.push(row)
    for (const pair of listPairs(row)) seen.add(pair)
  }
  return rows.map(
    (row) =>
      Object.fromEntries(keys.map((key, at) => [key, behaviorRegistry[key].values[row[at]!]])) as Pick<Behaviors, K>,
  )
}

/** All pairs of values of the behaviors that change what a document shows. */
const documentedBehaviors = listBehaviorPairs([
  ...(['createStatus', 'invalidBodyStatus', 'errorFormat', 'unknownFields', 'payerFields', 'searchMatch'] as const),
  ...(['emailVerifiedOnCreate', 'metadataUpdate', 'metadataLimits', 'paymentLinkOrder', 'timestampPrecision'] as const),
  ...(['invoiceIds', 'cancelInactive'] as const),
])

const variants = [{}, { provider: 'acme-pay' }, { basePath: '/v1' }]
const behaviors = documentedBehaviors.map((row) => ({ behaviors: row }))

it.each([...variants, ...behaviors])('the document of the API has no linter warnings, with %j', async (options) => {
  await expectNoWarnings(await loadDocument(options))
})

it('the document of the control API has no linter warnings', async () => {
  // The health check has no client errors.
  await expectNoWarnings((await buildControlContract()).document, { 'operation-4xx-response': 'off' })
})

const project = '/projects/acme'
const payer = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: 'GB123456789' }
const link = { invoice: 'inv_1', type: 'partner', partner: { user: payer } }

const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
const servedBy = async (options: MockOptions): Promise<OpenApiDocument> =>
  (await readJson(createMock(options).fetch('/openapi.json'))) as OpenApiDocument
const statusesOf = (document: OpenApiDocument, path: string, method = 'post') =>
  Object.keys(document.paths[`/projects/{project}${path}`]![method]!.responses).map(Number)

const rows = documentedBehaviors.map((behaviors, index) => ({ row: index + 1, behaviors }))
describe.each(rows)('under the behaviors of row $row', ({ behaviors }) => {
  it('allows exactly the bodies that the mock accepts', async () => {
    const { problems } = await buildContract({ behaviors })
    const seed = {
      projects: { acme: { invoices: ['inv_1', '1'], users: [{ id: 'usr_1', email: 'one@example.com' }] } },
    }
    const { send } = await startApi('in process', { behaviors, seed })
    const metadata = [{ seats: 4 }, { plan: 'x'.repeat(256) }, { plan: null }]
    const ofUser = [{}, { shoeSize: 'A' }, ...metadata.map((one) => ({ metadata: one }))]
    const users = [{}, { ...payer, age: 36 }]
    const ofLink = [{}, { note: 'A' }, { invoice: '1' }, ...users.map((user) => ({ partner: { user } }))]
    for (const [name, method, path, sent, changes] of [
      ['CreateUserBody', 'POST', '/users', { email: 'new@example.com' }, ofUser],
      ['UpdateUserBody', 'PATCH', '/users/usr_1', {}, ofUser],
      ['SearchUsersBody', 'POST', '/users/search', {}, ofUser.slice(0, 2)],
      ['CreatePaymentLinkBody', 'POST', '/paymentLinks', link, ofLink],
    ] as const)
      for (const change of changes) {
        const body = { ...sent, ...change }
        const { status } = await send(method, `${project}${path}`, { body })
        expect([body, problems(['components', 'schemas', name], body) === '']).toEqual([body, status < 400])
      }
  })

  it('has the statuses and the format of the mock', async () => {
    const document = await loadDocument({ behaviors })
    const successes = statusesOf(document, '/users').filter((status) => status < 300)
    expect(successes).toEqual([behaviors.createStatus])
    const rejections = statusesOf(document, '/users').filter((status) => [400, 422].includes(status))
    expect(rejections).toEqual([...new Set([400, 422, behaviors.invalidBodyStatus])])
    const type = behaviors.errorFormat === 'problem' ? 'application/problem+json' : 'application/json'
    for (const { operation } of operationsOf(document))
      for (const [status, response] of Object.entries<any>(operation.responses)) {
        const { content } =
          '$ref' in response ? document.components.responses![response.$ref.split('/').at(-1)] : response
        if (Number(status) >= 400) expect(Object.keys(content)).toEqual([type])
      }
  })
})

describe('the behaviors of the document', () => {
  const strict: BehaviorChoices = { createStatus: 200, unknownFields: 'reject' }

  it.each<[string, MockOptions]>([
    ['options', { behaviors: strict }],
    ['the seed', { seed: { behaviors: strict } }],
  ])('are those of %s', async (_, options) => {
    expect(await servedBy(options)).toEqual(await loadDocument({ behaviors: strict }))
  })

  it('are those of the profile', async () => {
    const { components } = await servedBy({ profile: 'strict' })
    expect(components.schemas!.CreatePaymentLinkBody).toMatchObject({
      additionalProperties: false,
      properties: {
        invoice: { pattern: '^inv_' },
        partner: { properties: { user: { required: Object.keys(payer) } } },
      },
    })
  })

  it('change with those for all projects, and not with those of one', async () => {
    const mock = createMock()
    const served = async () => readJson(mock.fetch('/openapi.json'))
    const before = await served()
    await mock.project('acme').behaviors.set(strict)
    expect(await served()).toEqual(before)
    await mock.behaviors.set(strict)
    expect(await served()).toEqual(await loadDocument({ behaviors: strict }))
    await mock.reset()
    expect(await served()).toEqual(before)
  })

  it.each<[BehaviorChoices, string, string]>([
    [{}, 'searchUsers', 'case is ignored'],
    [{ searchMatch: 'exact' }, 'searchUsers', 'case matters'],
    [{ searchMatch: 'contains' }, 'searchUsers', 'a part of an email matches'],
    [{}, 'updateUser', 'merged key by key'],
    [{ metadataUpdate: 'replace' }, 'updateUser', 'replaced as a whole'],
    [{}, 'listPaymentLinks', 'newest first'],
    [{ paymentLinkOrder: 'oldestFirst' }, 'listPaymentLinks', 'oldest first'],
    ...['listUsers', 'searchUsers', 'listPaymentLinks'].flatMap((id): [BehaviorChoices, string, string][] => [
      [{}, id, 'it shows every change at once'],
      [{ listFreshness: 'delayed' }, id, 'as it was 2,000 ms ago'],
    ]),
    [{}, 'cancelPaymentLink', 'not active is rejected'],
    [{ cancelInactive: 'idempotent' }, 'cancelPaymentLink', 'returned unchanged'],
  ])('%j are described at %s', async (behaviors, id, text) => {
    const operations = operationsOf(await loadDocument({ behaviors }))
    expect(operations.find(({ operation }) => operation.operationId === id)!.operation.description).toContain(text)
  })
})
