import { readdirSync, readFileSync } from 'node:fs'
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

it('a rejection with undefined is no error', async () => {
  // oxlint-disable-next-line prefer-promise-reject-errors -- the value is the point
  const rejection = Promise.reject(undefined)
  for (const expected of [[], ['text'], [/text/]]) {
    const assertion = Promise.resolve(expect(rejection).rejects.toThrow(...expected)).then(
      () => 'passes',
      () => 'fails',
    )
    expect(await assertion).toBe('fails')
  }
  await expect(Promise.reject(new Error('text'))).rejects.toThrow('text')
})

const folder = new URL('../', import.meta.url).pathname
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

/** The code of a client that the tests run, as a user would write it. */
const isClient = (file: string) => /^(?:explore|docs\/comparison|quality\/generators)\//.test(file)

const filesWith = (code: RegExp) =>
  files.filter((file) => !isClient(file) && code.test(readFileSync(folder + file, 'utf8')))

it('a body is read with its status, or for a reason without it', () => {
  const reasons = {
    'browser/cors.browser.test.ts': 'a web page, which gives the status and the body to its test',
    'control/coverage-lines.test.ts': 'a client that accepts every response',
    'cli/compare/command.test.ts': 'a program that the test runs',
    'support/prepare-situation.ts': 'ids of records that it has just created',
  }
  expect(filesWith(/\.json\(\)/).toSorted()).toEqual(Object.keys(reasons).toSorted())
})

it('a loop that waits is bounded by count', () => {
  expect(filesWith(/for \(;;\)|while \(true\)|while \(.*await.*;$/m)).toEqual([])
})

it('a value of a page is awaited, or read at once for a reason', () => {
  const tests = files.filter((file) => /\.browser\..*test\.ts$/.test(file))
  const reads =
    'inputValue|textContent|inner(?:Text|HTML)|is(?:Visible|Hidden|Checked|Enabled|Disabled)|count|all(?:Text|Inner)\\w+|' +
    'getAttribute|boundingBox|title|url|evaluateAll|evaluate(?=\\(\\()'
  // What a test expects, up to its matcher. `expect.poll` and `readNow` are the two ways.
  const atOnce = new RegExp(`\\bexpect\\((?!\\s*await readNow\\()(?:(?!\\.(?:not\\.)?to[A-Z])[^])*?\\.(?:${reads})\\(`)
  expect('expect(await page.getByLabel("Project").inputValue()).toBe("acme")').toMatch(atOnce)
  expect(tests.length).toBeGreaterThan(10)
  expect(tests.filter((file) => atOnce.test(readFileSync(folder + file, 'utf8')))).toEqual([])
})
