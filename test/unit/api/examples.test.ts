import { expect, it } from 'vitest'
import { createExamples } from '../../../src/api/api-document.ts'
import { createOperations } from '../../../src/api/operations.ts'
import { behaviorRegistry, type Behaviors, defaultBehaviors } from '../../../src/schema/behavior.ts'

const listExamples = (behaviors: Behaviors) => {
  const operations = createOperations('partner')
  return [...createExamples(operations, 'partner', behaviors)].flatMap(([id, kinds]) =>
    Object.entries(kinds).flatMap(([kind, byName]) =>
      Object.entries(byName).map(([name, example]) => [id, kind, name, JSON.stringify(example)].join(' ')),
    ),
  )
}

// The documents show them, and clients copy them.
it('operations have these examples', () => {
  expect(listExamples(defaultBehaviors).join('\n')).toMatchSnapshot()
})

it('these behaviors change examples', () => {
  const usual = new Set(listExamples(defaultBehaviors))
  const changes = Object.entries(behaviorRegistry).flatMap(([key, { values }]) =>
    values.flatMap((value) =>
      listExamples({ ...defaultBehaviors, [key]: value })
        .filter((line) => !usual.has(line))
        .map((line) => `${key}=${value} ${line}`),
    ),
  )
  expect(changes.join('\n')).toMatchSnapshot()
})
