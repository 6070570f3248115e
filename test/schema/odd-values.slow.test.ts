import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { z } from 'zod/mini'
import { createOperations } from '../../src/api/operations.ts'
import { ListenOptions, MockOptions } from '../../src/schema/mock-options.ts'
import { parseStrict } from '../../src/schema/unknown-fields.ts'
import type { Command } from '../../src/control/command.ts'
import { commands } from '../../src/control/commands.ts'
import { anyBody, listFields, oddValues } from '../support/fields.ts'

const named = (name: string, schema: z.ZodMiniType | undefined) =>
  schema === undefined ? [] : ([[name, schema]] as const)

/** Every schema of external input. */
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
  ...named('the options of createMock', MockOptions),
  ...named('the options of listen', ListenOptions),
]

// ODD_RUNS=2000 for a longer run.
const numRuns = Number(process.env.ODD_RUNS ?? 10)

/** The errors that the check of a body throws. */
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
  fc.assert(
    fc.property(anyBody(schema), (body) => {
      expect(thrownBy(schema, body)).toEqual([])
    }),
    { numRuns },
  )
})
