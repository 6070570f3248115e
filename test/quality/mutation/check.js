// Fails if a change of the last run survived that SURVIVORS.md does not explain, or if too few were noticed.
import { readFileSync } from 'node:fs'
import { declarationAt } from './declaration.js'

const here = new URL('.', import.meta.url)
const read = (path) => readFileSync(new URL(path, here), 'utf8')

/** @typedef {{ status: string, mutatorName: string, location: { start: { line: number } } }} Mutant */

/** @type {{ files: Record<string, { source: string, mutants: Mutant[] }> }} */
const { files } = JSON.parse(read('../../coverage/mutation/report.json'))

// Without line numbers and code, which would change with every edit.
const survivors = new Set(
  Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ location, mutatorName }) => `${file} ${declarationAt(source, location.start.line)} ${mutatorName}`),
  ),
)
const explained = new Set([...read('SURVIVORS.md').matchAll(/^ {4}(src\/.*)$/gm)].map(([, entry = '']) => entry))

const unexplained = [...survivors].filter((entry) => !explained.has(entry))
const obsolete = [...explained].filter((entry) => !survivors.has(entry))
for (const entry of unexplained) console.error(`Survived, and is not in SURVIVORS.md:\n    ${entry}`)
// No error: on a busy machine a change that only makes a test slow is noticed as a timeout.
for (const entry of obsolete) console.log(`Is in SURVIVORS.md, and did not survive:\n    ${entry}`)

const least = 85
const all = Object.entries(files).flatMap(([file, { mutants }]) => mutants.map(({ status }) => ({ file, status })))

/** How many of the mutants were noticed. */
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
process.exitCode = unexplained.length === 0 && percent >= least ? 0 : 1
