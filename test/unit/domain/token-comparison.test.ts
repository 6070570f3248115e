// Proves: Tokens.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const src = new URL('../../../src/', import.meta.url).pathname

// A token that is compared in another way would tell by its time how much of it was right.
it('tokens are compared in one place, which the mocked API and the control API share', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const linesWith = (pattern: RegExp) =>
    files.flatMap((file) =>
      readFileSync(join(src, file), 'utf8')
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  const comparing = linesWith(/(?<!const )isSameSecret\(/).map((line) => line.replace(/:.*/, ''))
  expect(new Set(comparing)).toEqual(new Set(['control/control-routes.ts', 'domain/tokens.ts']))
  const otherwise = linesWith(/\b(?:presented|\w*[tT]oken)\b\)? [!=]==? (?!undefined|null|'none'|'')/)
  // A tab of the browser, which asks whether another call of its own has learned the token meanwhile.
  expect(otherwise.filter((line) => !line.startsWith('pages/browser/'))).toEqual([])
})
