// Compares what survived the last run with the table in SURVIVORS.md: each must stand there with its reason.
import { readFileSync } from 'node:fs'

const here = new URL('.', import.meta.url)
const read = (path) => readFileSync(new URL(path, here), 'utf8')

/** @typedef {{ start: { line: number, column: number }, end: { line: number, column: number } }} Location */
/** @typedef {{ status: string, mutatorName: string, replacement: string, location: Location }} Mutant */

/** @type {{ files: Record<string, { source: string, mutants: Mutant[] }> }} */
const { files } = JSON.parse(read('../../coverage/mutation/report.json'))

const oneLine = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').trim()

/** What stands at a place of a source. */
const at = (/** @type {string} */ source, /** @type {Location} */ { start, end }) => {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  lines.push(lines.pop()?.slice(0, end.column - 1) ?? '')
  return oneLine(lines.join('\n').slice(start.column - 1))
}

const short = (/** @type {string} */ text) => (text.length > 90 ? `${text.slice(0, 90)}...` : text)

// A line number would change with every edit: a mutant is called by what stood there, and what stands there instead.
const survivors = Object.entries(files).flatMap(([file, { source, mutants }]) =>
  mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ location, replacement }) => `${file}: ${short(at(source, location))} -> ${short(oneLine(replacement))}`),
)

// In the table a mutant stands in a block of code, under a heading that explains it.
const explained = [...read('SURVIVORS.md').matchAll(/^ {4}(src\/.*)$/gm)].map(([, text = '']) => text)

const without = (/** @type {string[]} */ all, /** @type {string[]} */ some) => {
  const left = [...some]
  return all.filter((text) => {
    const index = left.indexOf(text)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

const fresh = without(survivors, explained)
const gone = without(explained, survivors)
for (const text of fresh) console.error(`Survived, and is not in SURVIVORS.md:\n    ${text}`)
// On a busy machine a change that only makes a test slow is noticed, as what takes too long.
for (const text of gone) console.log(`Is in SURVIVORS.md, and did not survive:\n    ${text}`)

const least = 85
const all = Object.entries(files).flatMap(([file, { mutants }]) => mutants.map(({ status }) => ({ file, status })))

/** How many of these were noticed. */
const score = (/** @type {typeof all} */ mutants) => {
  const noticed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  return { noticed, of: mutants.length, percent: (100 * noticed) / mutants.length }
}
for (const folder of new Set(all.map(({ file }) => file.split('/')[1]))) {
  const { noticed, of, percent } = score(all.filter(({ file }) => file.startsWith(`src/${folder}/`)))
  console.log(`${folder}: ${noticed} of ${of} mutants are noticed (${percent.toFixed(1)} %).`)
}
const { noticed, of, percent } = score(all)
console.log(`All: ${noticed} of ${of} (${percent.toFixed(1)} %; at least ${least} % must be).`)
process.exitCode = fresh.length === 0 && percent >= least ? 0 : 1
