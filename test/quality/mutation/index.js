// Changes random places of the sources, one at a time, and counts the changes that make a test fail.
//
//     node test/quality mutation --folder traffic --sample 25 --seed 2
//
// The tests that are next to a folder run once, to learn which files run which code. Against each change alone run the
// files that run its place, the quickest first. What they miss runs against all tests, many changes at once; the tests
// that fail then run against each of these changes alone. Prints the survivors.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { hitsFile, instrument, listRegions, regionOf } from './coverage.js'
import { equivalent } from './equivalent.js'
import { listMutants, shuffle } from './mutants.js'

/** The folders of `src`, and the tests next to each. */
const related = {
  schema: ['unit/schema', 'api', 'control'],
  domain: ['unit/domain', 'api', 'control'],
  traffic: ['control'],
  http: ['api', 'control'],
  control: ['control', 'cli/admin', 'integrations/report'],
  pages: ['browser'],
  client: ['integrations', 'control'],
  node: ['cli'],
  'extensions/calibrate': ['cli/calibrate'],
  'extensions/explore': ['explore'],
  'extensions/worker': ['integrations/worker'],
  rest: ['unit', 'api', 'control', 'integrations'],
}

/** The small folders and the entry, of which one sample is drawn. */
const rest = [
  'index.ts',
  'mock',
  'wire',
  ...['matchers', 'msw', 'playwright', 'vitest'].map((name) => `extensions/${name}`),
]

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

/** The mutants that the compiler accepts. */
const filterCompiling = (mutants) => {
  if (mutants.length === 0) return []
  const { stdout } = withPlanted(mutants, () =>
    spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'src/tsconfig.build.json', '--noEmit'], {
      cwd: tree,
      encoding: 'utf8',
    }),
  )
  if (stdout === '') return mutants
  const places = new Set(
    Array.from(stdout.matchAll(/^(\S+)\((\d+),\d+\): error/gm), ([, file, line]) => `${file} ${line}`),
  )
  const right = mutants.filter((mutant) => !places.has(`${mutant.file} ${lineOf(mutant)}`))
  if (right.length < mutants.length) return filterCompiling(right)
  // The cause is elsewhere: a changed type makes others wrong.
  const middle = mutants.length >> 1
  return middle === 0 ? [] : [...filterCompiling(mutants.slice(0, middle)), ...filterCompiling(mutants.slice(middle))]
}

/** Test files that fail without a change. They are left out. */
const unstable = new Set()

/** Runs tests in the tree. Returns the files that failed, or what ended the run, and how long each file took. */
const runVitest = (paths, { bail = 0, limit = 3_600_000, env = {}, isAgain = false } = {}) => {
  const report = join(tree, 'coverage/report.json')
  rmSync(report, { force: true })
  const program = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/quality/mutation/vitest.config.ts']
  const excluded = [...unstable].flatMap((file) => ['--exclude', file])
  const options = [...excluded, '--bail', String(bail), '--reporter', 'json', '--outputFile', report]
  const { error, status } = spawnSync(process.execPath, [...program, ...options, ...paths], {
    cwd: tree,
    env: { ...process.env, ...env },
    timeout: limit,
    killSignal: 'SIGKILL',
  })
  if (error !== undefined) return { failed: ['the time limit'], times: new Map() }
  // Without its copy of the repository, every run fails and would count as noticed.
  if (!existsSync(join(tree, 'package.json'))) throw new Error(`The copy of the repository is gone: ${tree}`)
  const { testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
  const nameOf = ({ name }) => relative(tree, name)
  const times = new Map(testResults.map((file) => [nameOf(file), file.endTime - file.startTime]))
  const failed = testResults.filter((file) => file.status === 'failed').map(nameOf)
  if (status === 0 || failed.length > 0) return { failed, times }
  // On a busy machine vitest itself may fail: once is not enough.
  if (isAgain) return { failed: ['an unhandled error'], times }
  return runVitest(paths, { bail, limit, env, isAgain: true })
}

/** Runs tests with a complete build. Returns the files that failed. */
const runTests = (paths, options) =>
  runVitest(paths, { ...options, env: { BUILDS: 'yes', CHANGES_PAGES: 'yes' } }).failed

/** Bundles the tree into dist. Returns whether this failed. */
const bundleFails = () => spawnSync(process.execPath, ['test/quality/mutation/bundle.js'], { cwd: tree }).status !== 0

/** Calls `use` while all sources note what runs: in dist, and as modules of the tests. */
const withInstrumented = (use) => {
  const files = execFileSync('git', ['ls-files', '-z', 'src/**.ts'], { cwd: root }).toString().split('\0')
  const kept = files.filter((file) => file !== '' && existsSync(join(tree, file)))
  const originals = new Map(kept.map((file) => [file, read(file)]))
  const write = (kind) => {
    for (const [file, text] of originals) writeFileSync(join(tree, file), instrument(tree, `${kind} ${file}`, text))
  }
  try {
    write('dist')
    if (bundleFails()) throw new Error('The instrumented sources cannot be bundled.')
    write('src')
    return use()
  } finally {
    for (const [file, text] of originals) writeFileSync(join(tree, file), text)
  }
}

/** Runs tests without a change. Returns how long each file took, and the files that ran each region. */
const measure = (paths) => {
  mkdirSync(join(tree, 'coverage'), { recursive: true })
  execFileSync(process.execPath, ['.build.js'], { cwd: tree, stdio: 'inherit' })
  const { failed, times } = withInstrumented(() => runVitest(paths, { env: { HITS: 'yes' } }))
  // What notes hits may fail tests of sizes and stacks, which pass without them.
  for (const file of failed) if (runTests([file]).length > 0) unstable.add(file)
  const users = new Map()
  for (const line of read(`${hitsFile}.json`).trim().split('\n')) {
    const { by, hits } = JSON.parse(line)
    for (const hit of hits) users.set(hit, (users.get(hit) ?? new Set()).add(by))
  }
  return { times, users }
}

/** Random mutants of different places in a folder, which compile and are not known to be equivalent. */
const drawMutants = (folder, seed, count) => {
  const drawn = []
  const places = folder === 'rest' ? rest : [folder]
  const mutants = places.flatMap((place) => listMutants(tree, `src/${place}`))
  for (const mutant of shuffle(mutants, seed)) {
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

/** The test files that run the place of a mutant, the quickest first: those that run its source, and those that run dist. */
const findTests = ({ times, users }, folder, mutant) => {
  const region = regionOf(listRegions(read(mutant.file)), mutant)
  const near = [...times.keys()]
    .filter((file) => !unstable.has(file) && related[folder].some((path) => file.startsWith(`test/${path}`)))
    .toSorted((a, b) => times.get(a) - times.get(b))
  // What takes longer runs against all that is missed together.
  let sum = 0
  const quick = (file) => (sum += times.get(file)) < maxTime
  const [bySource, byDist] = ['src', 'dist'].map((kind) => {
    const of = users.get(`${kind} ${mutant.file}:${region?.start}-${region?.end}`) ?? new Set()
    // What runs while modules are loaded counts for all tests.
    return of.has('') ? near : near.filter((file) => of.has(file))
  })
  // What runs in a browser or a Worker leaves no trace.
  const isTraced = region !== undefined && bySource.length + byDist.length > 0
  return isTraced
    ? [bySource.filter(quick), byDist.filter((file) => !bySource.includes(file)).filter(quick)]
    : [[], near.filter(quick)]
}

/** How long the tests next to a mutant may take, in milliseconds without a change. */
const maxTime = 45_000

/** What notices a mutant among the tests next to its folder. */
const findNoticing = (measured, folder, mutant) => {
  const [bySource, byDist] = findTests(measured, folder, mutant)
  return withPlanted([mutant], () => {
    const run = (files) => {
      if (files.length === 0) return undefined
      writeFileSync(join(tree, 'coverage/order.json'), JSON.stringify(files))
      const expected = files.reduce((sum, file) => sum + measured.times.get(file), 0)
      const env = { CHANGES_PAGES: folder === 'pages' ? 'yes' : '' }
      return runVitest(files, { bail: 1, limit: 90_000 + 5 * Math.ceil(expected), env }).failed[0]
    }
    return run(bySource) ?? (byDist.length > 0 && bundleFails() ? 'the build' : run(byDist))
  })
}

/** Runs the tests next to a folder against each mutant of a sample. Returns the sample and what they missed. */
const trySample = (measured, folder) => {
  const sample = drawMutants(folder, Number(values.seed), Number(values.sample))
  const missed = sample.filter((mutant) => {
    const by = findNoticing(measured, folder, mutant)
    print(mutant, by === undefined ? 'is missed by the tests next to it' : `is noticed by ${by}`)
    return by === undefined
  })
  console.log(`${folder}: ${sample.length - missed.length} of ${sample.length} are noticed by the tests next to it`)
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
const paths = [...new Set(values.folder.flatMap((folder) => related[folder]))]
const measured = measure(paths.map((path) => `test/${path}`))
const samples = values.folder.map((folder) => trySample(measured, folder))
const survivors = tryTogether(samples.flatMap(({ missed }) => missed))

console.log('\nSurvivors:')
for (const mutant of survivors) print(mutant, '')
console.log(`\nSeed ${values.seed}:`)
for (const { folder, count, missed } of samples) {
  const noticed = count - missed.filter((mutant) => survivors.includes(mutant)).length
  console.log(`${folder.padEnd(24)}${noticed} of ${count} are noticed`)
}
if (unstable.size > 0) console.log(`These fail without a change, and are left out: ${[...unstable].join(', ')}`)
