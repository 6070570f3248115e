// Changes random places of the sources, one at a time, and counts the changes that make a test fail.
//
//     node test/quality mutation --folder core/traffic --sample 25 --seed 2
//
// The tests that are next to a folder run once, to learn which tests run which code. Against each change alone run the
// tests that run its place, the quickest first. A test counts if it passes without the change. Prints the survivors.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hitsFile, instrument, listRegions, regionOf } from './coverage.js'
import { listMutants, shuffle } from './mutants.js'
import { createRunner } from './runner.js'

/** The folders of `src`, and the tests next to each. */
const related = {
  'core/schema': ['schema', 'api', 'control'],
  'core/domain': ['domain', 'api', 'control'],
  'core/traffic': ['traffic', 'control'],
  'core/http': ['http', 'api', 'control'],
  'core/openapi': ['openapi', 'api', 'control'],
  'core/api': ['api', 'control'],
  'core/control': ['control', 'cli/admin'],
  'core/pages': ['browser'],
  'core/client': ['integrations', 'control'],
  dashboard: ['browser'],
  node: ['cli', 'control/traffic'],
  'command-line': ['cli'],
  cli: ['cli'],
  compare: ['cli/compare'],
  explore: ['explore', 'cli/explore', 'cli/service', 'cli/sharing', 'cli/start-program'],
  worker: ['integrations/worker'],
  rest: ['schema', 'domain', 'http', 'openapi', 'api', 'control', 'integrations'],
}

/** The small folders and the entry, of which one sample is drawn. */
const rest = ['index.ts', 'core/mock', 'testing']

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

const write = (file, text) => {
  writeFileSync(join(tree, file), text)
  runner.invalidate(file)
}

/** Calls `use` while these mutants, and no others, are in the tree. */
const withPlanted = async (mutants, use) => {
  const originals = new Map(mutants.map(({ file }) => [file, read(file)]))
  // From the end of each file, so that the offsets of the others stay right. No line moves.
  for (const { file, start, end, replacement } of mutants.toSorted((a, b) => b.start - a.start)) {
    const text = read(file)
    const lines = text.slice(start, end).replaceAll(/[^\n]/g, '')
    write(file, text.slice(0, start) + replacement + lines + text.slice(end))
  }
  try {
    return await use()
  } finally {
    for (const [file, text] of originals) write(file, text)
  }
}

// More checkers repeat the work on shared types.
const compile = ['node_modules/typescript/bin/tsc', '-p', 'src/tsconfig.build.json', '--noEmit', '--checkers', '1']

/** The mutants that the compiler accepts. */
const filterCompiling = async (mutants) => {
  if (mutants.length === 0) return []
  const { stdout } = await withPlanted(mutants, () =>
    spawnSync(process.execPath, compile, { cwd: tree, encoding: 'utf8' }),
  )
  if (stdout === '') return mutants
  // The cause of an error is a mutant in its line, or the nearest one if no error of the file has one in its line.
  const wrong = new Set()
  const errors = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error/gm)].map(([, file, line]) => ({ file, line }))
  for (const file of new Set(errors.map((error) => error.file))) {
    const lines = errors.filter((error) => error.file === file).map(({ line }) => Number(line))
    const own = mutants.filter((mutant) => mutant.file === file)
    const distances = own.map((mutant) => Math.min(...lines.map((line) => Math.abs(line - lineOf(mutant)))))
    const least = Math.min(...distances)
    for (const [index, mutant] of own.entries()) if (distances[index] === least) wrong.add(mutant)
  }
  if (wrong.size > 0) return filterCompiling(mutants.filter((mutant) => !wrong.has(mutant)))
  // The cause is in another file.
  const middle = mutants.length >> 1
  if (middle === 0) return []
  return [...(await filterCompiling(mutants.slice(0, middle))), ...(await filterCompiling(mutants.slice(middle)))]
}

/** Calls `use` while dist is bundled from the tree. Returns its failures, or that of the bundler. */
const withBundle = async (use) => {
  try {
    const { status } = spawnSync(process.execPath, ['test/quality/mutation/bundle.js'], { cwd: tree })
    return status === 0 ? await use() : [{ name: 'the build' }]
  } finally {
    rmSync(join(tree, 'dist'), { recursive: true })
    cpSync(join(tree, 'coverage/dist'), join(tree, 'dist'), { recursive: true })
  }
}

/** Calls `use` while all sources note what runs: in dist, and as modules of the tests. */
const withInstrumented = async (use) => {
  const files = execFileSync('git', ['ls-files', '-z', 'src/**.ts'], { cwd: root }).toString().split('\0')
  const kept = files.filter((file) => file !== '' && existsSync(join(tree, file)))
  const originals = new Map(kept.map((file) => [file, read(file)]))
  const writeAll = (kind) => {
    for (const [file, text] of originals) write(file, instrument(tree, `${kind} ${file}`, text))
  }
  try {
    writeAll('dist')
    return await withBundle(() => {
      writeAll('src')
      return use()
    })
  } finally {
    for (const [file, text] of originals) write(file, text)
  }
}

/** The tests that have run without a change: their times, their files, and the regions that each of them ran. */
const measured = { times: new Map(), tests: new Map(), users: new Map() }

/** Runs tests without a change, if they have not run yet. */
const measure = async (paths) => {
  const { times, tests, users } = measured
  const files = (await runner.list(paths)).filter((file) => !tests.has(file))
  if (files.length === 0) return
  process.env.HITS = 'yes'
  const failed = await withInstrumented(() => runner.run(new Map(files.map((file) => [file]))))
  delete process.env.HITS
  if (failed.some(({ file }) => file === undefined)) throw new Error(`The tests cannot be measured: ${failed[0].name}`)
  for (const [id, time] of runner.times) times.set(id, time)
  // Instrumented sources can fail tests of sizes and stacks.
  for (const { file } of await runner.run(groupByFile(failed))) unstable.add(file)
  for (const line of read(`${hitsFile}.json`).trim().split('\n')) {
    const { by, ids, hits } = JSON.parse(line)
    tests.set(by, ids.slice(2))
    for (const [hit, runs] of hits)
      users.set(hit, (users.get(hit) ?? new Map()).set(by, new Set(runs.map((index) => ids[index]))))
  }
  rmSync(join(tree, `${hitsFile}.json`))
}

/** How long tests take without a change, in milliseconds. */
const getTime = (file, ids = measured.tests.get(file)) =>
  ids.reduce((sum, id) => sum + (measured.times.get(id) ?? 0), 0)

const groupByFile = (failures) => {
  const tests = new Map()
  for (const { file, id } of failures) if (file) tests.set(file, id && [...(tests.get(file) ?? []), id])
  return tests
}

/** Test files that fail without a change. They are left out. */
const unstable = new Set()

/** Test files with a test that needs those before it. */
const undivided = new Set()

/** Random mutants of different places in a folder, which compile. */
const drawMutants = async (folder, seed, count) => {
  const places = folder === 'rest' ? rest : [folder]
  const candidates = []
  const mutants = places.flatMap((place) => listMutants(tree, `src/${place}`))
  for (const mutant of shuffle(mutants, seed)) {
    const { file, start, end } = mutant
    const isTaken = candidates.some((other) => other.file === file && other.start <= end && start <= other.end)
    if (!isTaken) candidates.push(mutant)
    // About half of them compile.
    if (candidates.length === 6 * count) break
  }
  const drawn = []
  while (drawn.length < count && candidates.length > 0)
    drawn.push(...(await filterCompiling(candidates.splice(0, 2 * (count - drawn.length)))))
  return drawn.slice(0, count)
}

const print = (mutant, text) =>
  console.log(`${mutant.file}:${lineOf(mutant)} ${text}\n  - ${mutant.before}\n  + ${mutant.after}`)

/** Lists the tests that run the place of a mutant, the quickest first: once for the source, and once for dist. */
const findTests = (folder, mutant) => {
  const region = regionOf(listRegions(read(mutant.file)), mutant)
  const near = [...measured.tests.keys()].filter(
    (file) => !unstable.has(file) && related[folder].some((path) => file.startsWith(`test/${path}`)),
  )
  const listTests = (kind) => {
    const of = measured.users.get(`${kind} ${mutant.file}:${region?.start}-${region?.end}`) ?? new Map()
    // Code that runs while modules are loaded counts for all tests.
    const isLoaded = [...of.values()].some((ids) => ids.has('load'))
    const found = near.flatMap((file) => {
      const own = [...(of.get(file) ?? [])].filter((id) => id !== 'load' && id !== 'file')
      if (own.length > 0) return [[file, undivided.has(file) ? undefined : own]]
      return isLoaded || of.has(file) ? [[file]] : []
    })
    // The tests that run the place themselves come before files that load it, and these before all others.
    const rank = ({ file, id }) => (id !== undefined ? 0 : of.has(file) ? 1 : 2)
    const tests = found.flatMap(([file, ids]) => ids?.map((id) => ({ file, id })) ?? [{ file }])
    return tests.toSorted((a, b) => rank(a) - rank(b) || timeOf(a) - timeOf(b))
  }
  const timeOf = ({ file, id }) => getTime(file, id && [id])
  const limit = (tests) => {
    let sum = 0
    return groupByFile(tests.filter((test) => (sum += timeOf(test)) < maxTime))
  }
  const [bySource, byDist] = ['src', 'dist'].map(listTests)
  // A browser and a Worker leave no trace.
  const isTraced = region !== undefined && bySource.length + byDist.length > 0
  const all = near.map((file) => ({ file })).toSorted((a, b) => timeOf(a) - timeOf(b))
  return isTraced ? [limit(bySource), limit(byDist)] : [new Map(), limit(all)]
}

/** How long the tests next to a mutant may take, in milliseconds without a change. */
const maxTime = 180_000

/** The first test that fails with a mutant, of those next to its folder. */
const findFailure = async (folder, mutant) => {
  const [bySource, byDist] = findTests(folder, mutant)
  const run = (tests) => {
    const time = [...tests].reduce((sum, entry) => sum + getTime(...entry), 0)
    return runner.run(tests, { bail: 1, limit: 60_000 + 5 * time, testTimeout: 20_000 + time })
  }
  const [failure] = await withPlanted([mutant], async () => {
    const failed = await run(bySource)
    return failed.length > 0 || byDist.size === 0 ? failed : withBundle(() => run(byDist))
  })
  return failure
}

/** Returns the mutants with the tests that notice them. A test that also fails without a change is replaced by others. */
const findNoticing = async (folder, mutants) => {
  const failures = new Map()
  for (const mutant of mutants) {
    const failure = await findFailure(folder, mutant)
    failures.set(mutant, failure)
    print(mutant, failure === undefined ? 'is missed by the tests next to it' : `fails ${format(failure)}`)
  }
  const others = await runner.run(groupByFile([...failures.values()].filter(Boolean)))
  for (const { file, id } of others) (undivided.has(file) || id === undefined ? unstable : undivided).add(file)
  const isOther = (failure) => others.some(({ file, id }) => file === failure?.file && id === failure.id)
  const again = mutants.filter((mutant) => isOther(failures.get(mutant)))
  return again.length === 0 ? failures : new Map([...failures, ...(await findNoticing(folder, again))])
}

const format = ({ file = '', name }) => `${file} ${name}`.trim()

/** Runs the tests next to a folder against each mutant of a sample. Returns the sample and what they missed. */
const trySample = async (folder) => {
  await measure(related[folder].map((path) => `test/${path}`))
  const sample = await drawMutants(folder, Number(values.seed), Number(values.sample))
  const noticing = await findNoticing(folder, sample)
  const missed = sample.filter((mutant) => noticing.get(mutant) === undefined)
  console.log(`${folder}: ${sample.length - missed.length} of ${sample.length} are noticed by the tests next to it`)
  return { folder, count: sample.length, missed }
}

copyTree()
// Some tests read files of the current folder.
process.chdir(tree)
const runner = await createRunner(tree)
mkdirSync(join(tree, 'coverage'), { recursive: true })
execFileSync(process.execPath, ['.build.js'], { cwd: tree, stdio: 'inherit' })
cpSync(join(tree, 'dist'), join(tree, 'coverage/dist'), { recursive: true })
const samples = []
for (const folder of values.folder) samples.push(await trySample(folder))
await runner.close()

console.log('\nSurvivors:')
for (const mutant of samples.flatMap(({ missed }) => missed)) print(mutant, '')
console.log(`\nSeed ${values.seed}:`)
for (const { folder, count, missed } of samples)
  console.log(`${folder.padEnd(24)}${count - missed.length} of ${count} are noticed`)
if (unstable.size > 0) console.log(`These fail without a change, and are left out: ${[...unstable].join(', ')}`)
