import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/installed.ts'

export const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The code blocks of a language, with the line each stands on. */
export const blocks = (language: string): [line: number, code: string][] =>
  [...readme.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(({ index, 2: code }) => [readme.slice(0, index).split('\n').length, code!])
