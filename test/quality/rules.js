// The rules of the specification, and the tests that prove them: node test/quality rules.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('../../', import.meta.url).pathname
const read = (file) => readFileSync(join(root, file), 'utf8')

/**
 * What the specification states: its sections, and the rows of their tables.
 *
 * @returns {string[]} such as `§4.1` and `§4.1 limit`
 */
export const listRules = () => {
  const [, ...sections] = read('docs/specification.md').split(/^#+ (?=§)/m)
  return sections.flatMap((text) => {
    const [section] = text.split(' ', 1)
    // The points that the specification leaves open are not rules.
    const [, ...parts] = text.trim().split('\n\n')
    const stated = parts.filter((part) => !part.startsWith('**Open**'))
    const rows = stated.flatMap((part) =>
      part
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .slice(2),
    )
    const names = rows.map((row) => row.split('|')[1].replaceAll('`', '').trim()).filter((name) => name !== '')
    return stated.length === 0 ? [] : [section, ...new Set(names.map((name) => `${section} ${name}`))]
  })
}

/**
 * The titles of tests with a tag: `[§5]` proves something of a section, `[§4.1 after, limit]` rows of its tables.
 *
 * @returns {{ rule: string, file: string, title: string }[]}
 */
export const listProofs = () =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...read(`test/${file}`).matchAll(/(['"`])(.*\[§.*?)\1/g)].flatMap(([, , title]) =>
        [...title.matchAll(/\[(§[\d.]+)(?: (.+?))?\]/g)].flatMap(([, section, names]) =>
          [section, ...(names?.split(', ').map((name) => `${section} ${name}`) ?? [])].map((rule) => ({
            rule,
            file: `test/${file}`,
            title: title.replaceAll(/ ?\[§.*?\]/g, ''),
          })),
        ),
      ),
    )

if (process.argv[1] === import.meta.filename) {
  const proofs = listProofs()
  for (const rule of listRules()) {
    console.log(rule)
    for (const { file, title } of proofs.filter((proof) => proof.rule === rule)) console.log(`    ${file} › ${title}`)
  }
}
