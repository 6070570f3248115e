// Changes random places of the sources, one at a time, and counts the changes that make a test fail.
//
//     node test/quality mutation --folder traffic --sample 25 --seed 2
//
// The tests that are next to a folder run first, against each change alone. What they miss runs against all tests, many
// changes at once; the tests that fail then run against each of these changes alone. Prints the survivors.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { equivalent } from './equivalent.js'
import { listMutants, shuffle } from './mutants.js'

/** The folders of `src`, and the tests next to each. */
const related = {
  schema: ['unit/schema', 'api', 'control'],
  wire: ['unit/wire', 'api', 'control'],
  domain: ['unit/domain', 'api', 'control'],
  traffic: ['control'],
  http: ['api', 'control'],
  control: ['control', 'cli/admin'],
  mock: ['api', 'control', 'integrations'],
  pages: ['browser'],
  client: ['integrations', 'control'],
  node: ['cli'],
  'extensions/calibrate': ['cli/calibrate'],
  'extensions/explore': ['explore'],
  'extensions/matchers': ['unit/matchers', 'integrations'],
  'extensions/msw': ['integrations'],
  'extensions/playwright': ['integrations'],
  'extensions/vitest': ['integrations'],
  'extensions/worker': ['integrations/worker'],
}

const { values } = parseArgs({
  options: {
    folder: { type: 'string', multiple: true, default: Object.keys(related) },
    sample: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
  },
})
const unknown = values.folder.filter((folder) => !Object.hasOwn(related, folder))
if (unknown.length > 0) {
  console.error(`Unknown folder ${unknown.join(', ')}. There are: ${Object.keys(related).join(', ')}.`)
  process.exit(2)
}

const root = new URL('../../..', import.meta.url).pathname
const tree = mkdtempSync(join(tmpdir(), 'paylink-mock-mutation-'))
process.on('exit', () => rmSync(tree, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

const copyTree = () => {
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  // The list also has files that are deleted and not yet committed.
  const files = names
    .toString()
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(root, name)))
  for (const file of files) cpSync(join(root, file), join(tree, file))
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  // A mutant may leave a variable unused.
  const options = readFileSync(join(root, 'tsconfig.json'), 'utf8').replaceAll(/("noUnused\w+": )true/g, '$1false')
  writeFileSync(join(tree, 'tsconfig.json'), options)
}

const read = (file) => readFileSync(join(tree, file), 'utf8')

const lineOf = ({ file, start }) => read(file).slice(0, start).split('\n').length

/** Calls `use` while these mutants, and no others, are in the tree. */
const withPlanted = (mutants, use) => {
  const originals = new Map(mutants.map(({ file }) => [file, read(file)]))
  // From the end of each file, so that the offsets of the others stay right. No line moves.
  for (const { file, start, end, replacement } of mutants.toSorted((a, b) => b.start - a.start)) {
    const text = read(file)
    const lines = text.slice(start, end).replaceAll(/[^\n]/g, '')
    writeFileSync(join(tree, file), text.slice(0, start) + replacement + lines + text.slice(end))
  }
  try {
    return use()
  } finally {
    for (const [file, text] of originals) writeFileSync(join(tree, file), text)
  }
}

/** The mutants that the compiler accepts, also together. */
const filterCompiling = (mutants) => {
  const { stdout } = withPlanted(mutants, () =>
    spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'src/tsconfig.build.json', '--noEmit'], {
      cwd: tree,
      encoding: 'utf8',
    }),
  )
  if (stdout === '') return mutants
  const errors = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error/gm)]
  const isWrong = (mutant) => errors.some(([, file, line]) => file === mutant.file && Number(line) === lineOf(mutant))
  const isNear = (mutant) => errors.some(([, file]) => file === mutant.file)
  const right = [isWrong, isNear].map((test) => mutants.filter((mutant) => !test(mutant)))
  const next = right.find(({ length }) => length < mutants.length) ?? mutants.slice(0, mutants.length >> 1)
  return next.length === 0 ? [] : filterCompiling(next)
}

/** Test files that fail without a change. They are left out. */
const unstable = new Set()

// Tests of the other folders run the built package, too.
const readSources = ['test/unit', 'test/api', 'test/control', 'test/explore']

/** Runs tests in the tree. Returns the files that failed, or what ended the run. */
const runTests = (paths, { bail = 0, limit = 3_600_000, isAgain = false } = {}) => {
  const report = join(tree, 'coverage/report.json')
  rmSync(report, { force: true })
  const program = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/quality/mutation/vitest.config.ts']
  const excluded = [...unstable].flatMap((file) => ['--exclude', file])
  const options = [...excluded, '--bail', String(bail), '--reporter', 'json', '--outputFile', report]
  const { error, status } = spawnSync(process.execPath, [...program, ...options, ...paths], {
    cwd: tree,
    env: {
      ...process.env,
      BUILDS: paths.every((path) => readSources.some((part) => path.startsWith(part))) ? '' : 'yes',
    },
    timeout: limit,
    killSignal: 'SIGKILL',
  })
  if (error !== undefined) return ['the time limit']
  if (status === 0) return []
  const { testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
  const failed = testResults.filter((file) => file.status === 'failed').map(({ name }) => relative(tree, name))
  if (failed.length > 0) return failed
  // On a busy machine vitest itself may fail: once is not enough.
  return isAgain ? ['an unhandled error'] : runTests(paths, { bail, limit, isAgain: true })
}

/** Random mutants of different places in a folder, which compile and are not known to be equivalent. */
const drawMutants = (folder, seed, count) => {
  const drawn = []
  for (const mutant of shuffle(listMutants(tree, `src/${folder}`), seed)) {
    const { file, before, after, start, end } = mutant
    const isKnown = equivalent.some((each) => each.file === file && each.before === before && each.after === after)
    const isTaken = drawn.some((other) => other.file === file && other.start <= end && start <= other.end)
    if (!isKnown && !isTaken) drawn.push(mutant)
    // More than half of them compile.
    if (drawn.length === 2 * count) break
  }
  return filterCompiling(drawn).slice(0, count)
}

const print = (mutant, text) =>
  console.log(`${mutant.file}:${lineOf(mutant)} ${text}\n  - ${mutant.before}\n  + ${mutant.after}`)

/** Runs the tests next to a folder against each mutant of a sample. Returns the sample and what they missed. */
const trySample = (folder) => {
  const paths = related[folder].map((path) => `test/${path}`)
  const start = Date.now()
  const broken = runTests(paths)
  for (const file of broken) unstable.add(file)
  const limit = 60_000 + 5 * (Date.now() - start)
  const sample = drawMutants(folder, Number(values.seed), Number(values.sample))
  const missed = sample.filter((mutant) => {
    const [by] = withPlanted([mutant], () => runTests(paths, { bail: 1, limit }))
    print(mutant, by === undefined ? 'is missed by the tests next to it' : `is noticed by ${by}`)
    return by === undefined
  })
  return { folder, count: sample.length, missed }
}

/** Whether a file passes without a change. The time limit and other errors of a run are no files. */
const isStable = (file) => {
  const isFile = existsSync(join(tree, file))
  if (isFile && !unstable.has(file) && runTests([file]).length > 0) unstable.add(file)
  return !unstable.has(file)
}

/** Runs all tests against all these mutants together, until none fails. Returns the mutants that are left. */
const tryTogether = (mutants) => {
  if (mutants.length === 0) return []
  const failed = withPlanted(mutants, () => runTests(['test'])).filter(isStable)
  const files = failed.filter((file) => existsSync(join(tree, file)))
  if (failed.length === 0) return mutants
  const noticed = mutants.filter((mutant) => {
    const [by] = files.length === 0 ? [] : withPlanted([mutant], () => runTests(files, { bail: 1 }))
    if (by !== undefined) print(mutant, `is noticed by ${by}`)
    return by !== undefined
  })
  if (noticed.length > 0) return tryTogether(mutants.filter((mutant) => !noticed.includes(mutant)))
  // Nothing tells them apart: no file failed, or only together they make one fail.
  if (mutants.length === 1) return files.length > 0 ? mutants : []
  const middle = mutants.length >> 1
  return [...tryTogether(mutants.slice(0, middle)), ...tryTogether(mutants.slice(middle))]
}

copyTree()
const samples = values.folder.map((folder) => trySample(folder))
const survivors = tryTogether(samples.flatMap(({ missed }) => missed))

console.log('\nSurvivors:')
for (const mutant of survivors) print(mutant, '')
console.log(`\nSeed ${values.seed}:`)
for (const { folder, count, missed } of samples) {
  const noticed = count - missed.filter((mutant) => survivors.includes(mutant)).length
  console.log(`${folder.padEnd(24)}${noticed} of ${count} are noticed`)
}
if (unstable.size > 0) console.log(`These fail without a change, and are left out: ${[...unstable].join(', ')}`)
