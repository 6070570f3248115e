import { expect, it } from 'vitest'
import { createMock, projectIdFor, projectReport } from '../../src/node/index.ts'
import { refusalOf } from '../support/refusal-of.ts'

it.each([
  [[5, 6], 'projectIdFor: a name must be a string (got 5).'],
  [['file', undefined], 'projectIdFor: a name must be a string (got undefined).'],
])('a project id is made from texts alone, not from %j', (names, message) => {
  const refusal = refusalOf(() => projectIdFor(...(names as string[])))
  expect([refusal.code, refusal.message]).toEqual(['invalidOptions', message])
})

it.each<[unknown, string]>([
  ['acme', "'acme'"],
  [undefined, 'undefined'],
  [null, 'null'],
  [createMock(), 'an object'],
])('a report is one of a project, not of %j', async (project, got) => {
  const message = `projectReport needs a project, such as mock.project('acme') (got ${got}).`
  await expect(projectReport(project as never)).rejects.toMatchObject({ code: 'invalidOptions', message })
})
