import { expect, it } from 'vitest'
import { RedirectUrl } from '../../../src/schema/field.ts'
import { parseUrl } from '../../../src/schema/url.ts'

it('a redirect with letters beyond ASCII is taken, however many were taken before', () => {
  const rejected = Array.from({ length: 10_000 }, () => RedirectUrl.safeParse('https://bücher.example/ü').success)
  expect(rejected.indexOf(false)).toBe(-1)
})

it('a text that is no address has none', () => {
  expect(parseUrl('//example')).toBeUndefined()
  expect(parseUrl('https://example/a b')?.href).toBe('https://example/a%20b')
})
