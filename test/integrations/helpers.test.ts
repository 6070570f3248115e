import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createMock, projectIdFor, formatProject } from '../../src/node/index.ts'
import { toMockError } from '../support/to-mock-error.ts'

/** The rule for project ids, as test vectors for other languages. */
const vectors = JSON.parse(readFileSync(new URL('../../examples/project-ids.json', import.meta.url), 'utf8')) as {
  names: string[]
  id: string
}[]

it.each([
  [[5, 6], 'projectIdFor: a name must be a string (got 5).'],
  [['file', undefined], 'projectIdFor: a name must be a string (got undefined).'],
])('a project id is created from strings only, not from %j', (names, message) => {
  const error = toMockError(() => projectIdFor(...(names as string[])))
  expect([error.code, error.message]).toEqual(['invalidOptions', message])
})

it.each([
  ['the file', ['a', 'suite', 'test'], ['b', 'suite', 'test']],
  ['the suite', ['file', 'a', 'test'], ['file', 'b', 'test']],
  ['the test', ['file', 'suite', 'a'], ['file', 'suite', 'b']],
  ['where a name ends, at a space', ['a b', 'c', 't'], ['a', 'b c', 't']],
  ['where a name ends, without a space', ['ab', 'c', 't'], ['a', 'bc', 't']],
  ['where a name ends, at a comma', ['a,b', 'c', 't'], ['a', 'b,c', 't']],
  ['where a name ends, at a quote', ['a","b', 'c', 't'], ['a', 'b","c', 't']],
  ['an empty name', ['a', '', 't'], ['a', 't']],
  ['the order', ['a', 'b', 't'], ['b', 'a', 't']],
  ['the case of a letter', ['f', 'T'], ['f', 't']],
  ['what lies beyond ASCII', ['f', 'é'], ['f', 'è']],
  ['what lies behind the part that is shown', ['f', `${'x'.repeat(50)}a`], ['f', `${'x'.repeat(50)}b`]],
])('project ids differ with %s', (_, one, other) => {
  expect(projectIdFor(...one)).not.toBe(projectIdFor(...other))
  expect(projectIdFor(...one)).toBe(projectIdFor(...one))
})

it('a project id is readable, and needs no escaping in a path', () => {
  expect(projectIdFor('file', ' Is paid, ÄND completed! ')).toMatch(/^is-paid-nd-completed-[0-9a-f]{16}$/)
  expect(projectIdFor('file', '🙂')).toMatch(/^test-[0-9a-f]{16}$/)
  expect(projectIdFor()).toMatch(/^test-[0-9a-f]{16}$/)
  expect(projectIdFor('x'.repeat(100))).toMatch(/^x{40}-[0-9a-f]{16}$/)
})

it.each(vectors)('the project id of $names is $id', ({ names, id }) => {
  expect(projectIdFor(...names)).toBe(id)
})

it.each<[unknown, string]>([
  ['acme', "'acme'"],
  [undefined, 'undefined'],
  [null, 'null'],
  [createMock(), 'an object'],
])('a report needs a project, not %j', async (project, got) => {
  const message = `formatProject needs a project, such as mock.project('acme') (got ${got}).`
  await expect(formatProject(project as never)).rejects.toMatchObject({ code: 'invalidOptions', message })
})
