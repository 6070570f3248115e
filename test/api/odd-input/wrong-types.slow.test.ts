/** No value of any field makes the mock fail: every body of both interfaces, and every field of a seed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod/mini'
import { createOperations } from '../../../src/core/api/operations.ts'
import { createMock, type MockOptions } from '../../../src/node/index.ts'
import { ListenOptions, MockOptions as MockOptionsSchema } from '../../../src/core/schema/mock-options.ts'
import { Seed } from '../../../src/core/schema/seed.ts'
import { parseStrict } from '../../../src/core/schema/unknown-fields.ts'
import type { Command } from '../../../src/core/control/command.ts'
import { commands } from '../../../src/core/control/commands.ts'
import { expectSentences } from '../../support/api.ts'
import { anyBody, jsonValues, listFields, oddValues } from '../../support/fields.ts'
import { startAdmin } from '../../support/control.ts'
import { toMockError } from '../../support/read.ts'

const acme = { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }
const seed: MockOptions['seed'] = { projects: { acme } }

const filled = (path: string): string =>
  path.replace('{project}', 'acme').replace('{user}', 'usr_1').replace('{paymentLink}', 'pml_1')

const createCases = (name: string, method: string, path: string, body: z.ZodMiniType | undefined) =>
  body === undefined ? [] : ([[name, method, filled(path), body]] as const)

const operations = createOperations('partner').flatMap(({ id, method, path, body }) =>
  createCases(id, method, path, body),
)

const controlCases = Object.entries<Command>(commands).flatMap(
  ([id, { scope, method, path, body, bodyForAll = body }]) => [
    ...(scope === 'mock' ? [] : createCases(id, method, `/__admin/projects/{project}${path}`, body)),
    ...(scope === 'project' ? [] : createCases(`${id} for all`, method, `/__admin${path}`, bodyForAll)),
  ],
)

/** The body with each value in the place of each field. */
const bodiesOf = (schema: z.ZodMiniType) =>
  listFields(schema).flatMap(({ path, createBody }) =>
    Object.entries(jsonValues).map(([what, value]) => ({ what: `${path} is ${what}`, body: createBody(value) })),
  )

const expectNoFailure = async (method: string, path: string, schema: z.ZodMiniType, options: MockOptions = {}) => {
  await using mock = createMock({ seed, ...options })
  const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }
  for (const { what, body } of bodiesOf(schema)) {
    const response = await mock.fetch(path, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    expect([what, response.status < 500], text).toEqual([what, true])
    if (response.status >= 400) expectSentences(JSON.parse(text))
  }
}

describe('a field of any type', () => {
  describe.each(['default', 'strict'] as const)('in a body of the mocked API, by the profile %s', (profile) => {
    it.each(operations)('does not make %s fail', (_, method, path, schema) =>
      expectNoFailure(method, path, schema, { profile }),
    )
  })

  it.each(controlCases)('in a body of the control API does not make %s fail', (_, method, path, schema) =>
    expectNoFailure(method, path, schema),
  )

  it.each(['/faults', '/requests/verify'])('in a matcher beside a path is rejected, POST %s', async (path) => {
    const { call } = await startAdmin()
    const match = { path: '/projects/acme/users', project: '\ud800' }
    const { status, body } = await call('POST', path, { match, effect: { status: 503 } })
    expect(status).toBe(422)
    expect(body.details.map((problem: { path: string }) => problem.path)).toContain('match.project')
  })

  it('in a seed is accepted, or rejected with a sentence', async () => {
    for (const { what, body } of bodiesOf(Seed)) {
      const start = () => createMock({ seed: body as MockOptions['seed'] })
      if (!parseStrict(Seed, body).ok) expect(toMockError(start).message, what).toMatch(/^\S.*[.?]$/)
      else await start().close()
    }
  })
})

const named = (name: string, schema: z.ZodMiniType | undefined) =>
  schema === undefined ? [] : ([[name, schema]] as const)

const schemas = [
  ...Object.entries<Command>(commands).flatMap(([id, { body, bodyForAll, query }]) => [
    ...named(`the body of ${id}`, body),
    ...named(`the body of ${id} for all`, bodyForAll),
    ...named(`the query of ${id}`, query),
  ]),
  ...createOperations('partner').flatMap(({ id, body, query }) => [
    ...named(`the body of ${id}`, body),
    ...named(`the query of ${id}`, query),
  ]),
  ...named('the options of createMock', MockOptionsSchema),
  ...named('the options of listen', ListenOptions),
]

// ODD_RUNS=2000 for a longer run.
const numRuns = Number(process.env.ODD_RUNS ?? 10)

const thrownBy = (schema: z.ZodMiniType, body: unknown): string[] => {
  try {
    parseStrict(schema, body)
    return []
  } catch (error) {
    return [String(error)]
  }
}

it.each(schemas)('the check of %s does not throw for any value of any field', (_, schema) => {
  const thrown = listFields(schema).flatMap(({ path, createBody, createPartialBody }) =>
    Object.entries(oddValues).flatMap(([what, value]) =>
      [createBody(value), createPartialBody(value)].flatMap((body) =>
        thrownBy(schema, body).map((error) => `${path} is ${what}: ${error}`),
      ),
    ),
  )
  expect(thrown).toEqual([])
})

it.each(schemas)('the check of %s does not throw for odd values of several fields', (_, schema) => {
  const property = fc.property(anyBody(schema), (body) => {
    expect(thrownBy(schema, body)).toEqual([])
  })
  fc.assert(property, { numRuns })
})
