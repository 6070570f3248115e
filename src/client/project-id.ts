import { refuseNoText } from './checked.ts'

/**
 * The id of a project that a test has to itself, from the names that lead to it: its file, its suites, its own.
 * The same in every run and on every machine, and another one wherever a name differs.
 */
export const projectIdFor = (...names: readonly string[]): string => {
  for (const name of names) refuseNoText('projectIdFor: a name', name)
  const readable = (names.at(-1) ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return `${readable.slice(0, 40).replace(/^-+|-+$/g, '') || 'test'}-${digest(JSON.stringify(names))}`
}

/** 64 bits of a text in letters and digits, by FNV-1a with two offsets and a final mix. */
const digest = (text: string): string =>
  [0x811c9dc5, 0x9e3779b9]
    .map((offset, lane) => {
      let state = offset
      for (let i = 0; i < text.length; i++) state = Math.imul(state ^ (text.charCodeAt(i) + lane), 0x01000193)
      return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0).toString(36).padStart(7, '0')
    })
    .join('')
