import { expect, it } from 'vitest'
import { countDistinct } from '../support/count-distinct.ts'
import { guardError, readJson, readText } from '../support/read.ts'

const rejected = () => Response.json({ object: 'error', code: 'userNotFound' }, { status: 404 })

it.each([readText, readJson])('%o throws for a status that the test did not name', async (read) => {
  await expect(read(rejected())).rejects.toThrow('Expected 200 from , and received 404: {"object":"error"')
  await expect(read(rejected(), 404)).resolves.toBeDefined()
})

it('an error body is equal to what was received, and throws where a test reads data', () => {
  const body = guardError(404, { object: 'error', code: 'userNotFound' }) as Record<string, unknown>
  expect(body).toEqual({ object: 'error', code: 'userNotFound' })
  expect(body['code']).toBe('userNotFound')
  for (const name of ['id', 'items', 'email', 'invoice']) expect(() => body[name]).toThrow(`has no ${name}: 404`)
})

it('a body of another status is as it is', () => {
  expect(guardError(200, { id: 'usr_1' })).toEqual({ id: 'usr_1' })
  expect((guardError(200, {}) as Record<string, unknown>)['id']).toBeUndefined()
})

it('a missing value is not one more distinct value', () => {
  expect(countDistinct(['a', 'b', 'a'])).toBe(2)
  expect(() => countDistinct(['a', undefined])).toThrow('Value 1 of 2 is missing.')
})
