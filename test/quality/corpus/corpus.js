// Explores the programs of test/explore/corpus, all or those of the given names and languages: each buggy version must be
// found, and each fixed one must survive. Fails if a verdict is wrong.
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { createStarter, languageNames } from '../../explore/corpus/languages.js'
import { hostilePairs, pairs } from '../../explore/corpus/pairs.js'
import { patterns } from '../../explore/corpus/patterns.js'
import { explorePattern, interleaveHostile, interleavePair, searchService } from '../../explore/corpus/run.js'
import { serviceSearches, services } from '../../explore/corpus/services.js'

const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-corpus-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const getWords = createStarter(folder)

/** The words of both programs, or undefined if the machine does not have their language. */
const getPairWords = ({ language, programs }, version = '') => {
  const words = programs.map(([name, ...args]) => {
    const start = getWords(language, name.replace('*', version))
    return start && [...start, ...args]
  })
  return words.includes(undefined) ? undefined : words
}

const installed = new Map()

/** Whether a package could be installed in `folder`. In CI it must be. */
const install = (name) => {
  if (!installed.has(name)) {
    const flags = ['--silent', '--no-audit', '--ignore-scripts', '--prefer-offline']
    const isInstalled = spawnSync('npm', ['install', '--prefix', folder, ...flags, name]).status === 0
    if (!isInstalled && process.env.CI === 'true') throw new Error(`npm cannot install ${name}.`)
    installed.set(name, isInstalled)
  }
  return installed.get(name)
}

/** The words of a service, or undefined if the machine does not have its language or library. */
const getServiceWords = ({ language, name, needs, installs }) => {
  const words = getWords(language, name)
  if (words === undefined || (needs !== undefined && spawnSync(words[0], needs).status !== 0)) return undefined
  if (installs === undefined) return words
  return install(installs) ? [...words, folder] : undefined
}

const versions = ['buggy', 'fixed']
const searches = [
  ...patterns.flatMap((pattern) =>
    versions.map((version) => ({
      ...pattern,
      version,
      getWords: () => getWords(pattern.language, `${pattern.name}.${version}`),
      run: (words) => explorePattern(pattern, version, { folder, words }),
    })),
  ),
  ...pairs.flatMap((pair) =>
    versions.map((version) => ({
      ...pair,
      version,
      getWords: () => getPairWords(pair, version),
      run: (words) => interleavePair(pair, version, { folder, words }),
    })),
  ),
  ...hostilePairs.map((pair) => ({
    ...pair,
    version: 'hostile',
    getWords: () => getPairWords(pair),
    run: (words) => interleaveHostile(pair, { folder, words }),
  })),
  ...services.flatMap((service) =>
    serviceSearches.map((search) => ({
      ...service,
      version: search.mistake === 'none' ? 'fixed' : 'buggy',
      detail: `${search.command}, ${search.mistake}`,
      getWords: () => getServiceWords(service),
      run: (words) => searchService(search, { folder, words, customer: getWords('javascript', 'customer') }),
    })),
  ),
]

const wanted = process.argv.slice(2)
const unknown = wanted.find((word) => !languageNames.includes(word) && searches.every(({ name }) => name !== word))
if (unknown !== undefined) {
  console.error(`The corpus has no program and no language ${unknown}.`)
  process.exit(2)
}
const isWanted = ({ name, language }) => wanted.length === 0 || wanted.includes(name) || wanted.includes(language)

const done = []
const skipped = new Map()
const queue = searches.filter(isWanted).values()
const started = performance.now()
const work = async () => {
  for (const search of queue) {
    const { name, language, version, detail = version, needs, installs } = search
    const words = search.getWords()
    if (words === undefined) {
      const missing = installs ?? (needs === undefined ? language : `${language}, or not what ${name} needs`)
      skipped.set(missing, (skipped.get(missing) ?? 0) + 1)
      continue
    }
    const verdict = await search.run(words)
    done.push({ ...verdict, version })
    const how = verdict.problem ?? (verdict.found ? 'found' : 'no failures')
    console.log(
      `${verdict.problem === undefined ? 'right' : 'WRONG'}  ${language} ${name}, ${detail}: ${how}, ${verdict.runs} runs`,
    )
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work))

const of = (version) => done.filter((each) => each.version === version)
const wrong = done.filter(({ problem }) => problem !== undefined)
const runs = done.reduce((sum, each) => sum + each.runs, 0)
for (const [language, count] of skipped)
  console.log(`skipped: ${count} searches, because this machine has no ${language}`)
console.log(`recall: ${of('buggy').filter(({ found }) => found).length} of ${of('buggy').length} buggy programs found`)
console.log(`false alarms: ${of('fixed').filter(({ found }) => found).length} of ${of('fixed').length} fixed programs`)
console.log(
  `hostile programs: ${of('hostile').filter(({ problem }) => problem === undefined).length} of ${of('hostile').length} right`,
)
console.log(`${runs} runs in ${Math.round((performance.now() - started) / 1000)} s`)
console.log(wrong.length === 0 ? 'corpus: ok' : `corpus: ${wrong.length} of ${done.length} verdicts are wrong`)
process.exitCode = wrong.length === 0 ? 0 : 1
