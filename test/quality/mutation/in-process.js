// A test runner for Stryker: one process, and all modules built anew for each mutant, which takes some 50 ms. With vitest's
// own processes it is seconds for each of the thousands.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { bundleSuites } from './suites.js'

// The same cases for each mutant, and the first that fails is enough.
fc.configureGlobal({ seed: 1, endOnFailure: true })

// Tests that depend on time prove nothing in a slow run, and reading megabytes takes half a minute when instrumented.
const left = [
  'in seconds',
  'names at most five requests, in a message of bounded length',
  'a slow seed file',
  'is loaded with up to 64 MB',
  'names at most a thousand problems',
]

const Success = 0
const Failed = 1
const Late = 'late'

// How long each test takes, from the first run: the quick ones go first.
const times = 'suites.times.json'
const slow = 500
// A mutant that nearly all tests reach is noticed by one of the first tests, or never.
const most = 1500

class InProcess {
  static inject = ['globalNamespace']
  #state
  #bundle = ''
  #turn = 0

  constructor(globalNamespace) {
    this.#state = globalThis[globalNamespace] ??= {}
  }

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    // Background work of an earlier mutant may fail later.
    process.on('unhandledRejection', () => {})
    process.on('uncaughtException', () => {})
    this.#bundle = pathToFileURL(await bundleSuites(process.cwd())).href
  }

  async dryRun() {
    const tests = []
    // One suite at a time, so that shared setup counts for each suite that needs it.
    for (const suite of Object.keys((await this.#load()).suites)) {
      this.#state.currentTestId = undefined
      for (const test of await this.#testsOf(suite)) {
        const first = await this.#run(test)
        // On a machine that is busy a socket may be late.
        tests.push(first.status === Success ? first : await this.#run(test))
      }
    }
    writeFileSync(times, JSON.stringify(Object.fromEntries(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]))))
    return { status: 'complete', tests, mutantCoverage: this.#state.mutantCoverage }
  }

  async mutantRun({ activeMutant, hitLimit, sandboxFileName, testFilter }) {
    const state = this.#state
    const timeOf = JSON.parse(readFileSync(times, 'utf8'))
    const wanted = new Set(widened(testFilter, timeOf) ?? near(sandboxFileName, timeOf))
    // Stryker allows a hundred times the hits of the first run. A loop that does not end is seen sooner.
    Object.assign(state, { activeMutant: activeMutant.id, hitCount: 0, hitLimit: hitLimit && hitLimit / 10 + 1000 })
    let nrOfTests = 0
    try {
      for (const suite of inOrder([...wanted], sandboxFileName, timeOf)) {
        const tests = (await this.#testsOf(suite)).filter(({ id }) => wanted.has(id))
        for (const test of tests.toSorted((a, b) => timeOf[a.id] - timeOf[b.id])) {
          const { status, id, failureMessage } = await this.#run(test, 2000 + 20 * timeOf[test.id])
          nrOfTests += 1
          if (nrOfTests === most && status === Success) return { status: 'survived', nrOfTests }
          if (status === Late || state.hitCount > state.hitLimit) return { status: 'timeout', reason: failureMessage }
          if (status === Failed) return { status: 'killed', killedBy: [id], failureMessage, nrOfTests }
        }
      }
    } catch (error) {
      // It could not even be loaded.
      return { status: 'killed', killedBy: [], failureMessage: String(error), nrOfTests }
    } finally {
      state.activeMutant = undefined
    }
    return { status: 'survived', nrOfTests }
  }

  #load() {
    this.#turn += 1
    return import(`${this.#bundle}?${this.#turn}`)
  }

  /** The tests of a suite, in modules that nothing has touched. */
  async #testsOf(suite) {
    const { suites, declared } = await this.#load()
    // The same rows through a socket ask the same code of the mocked API again; of the control API they ask more.
    globalThis.hasSockets = !suite.startsWith('test/api/')
    await suites[suite]()
    const seen = new Map()
    const tests = declared().filter(({ name }) => !left.some((part) => name.includes(part)))
    return tests.map(({ name, run }) => {
      const nth = (seen.get(name) ?? 0) + 1
      seen.set(name, nth)
      return { id: `${suite}#${name}${nth > 1 ? ` (${nth})` : ''}`, name, fileName: suite, run }
    })
  }

  async #run({ id, name, fileName, run }, most = 60_000) {
    this.#state.currentTestId = id
    const start = performance.now()
    const result = (rest) => ({ id, name, fileName, timeSpentMs: Math.round(performance.now() - start), ...rest })
    let timer
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve(Late), most)
    })
    try {
      const isLate = (await Promise.race([run(), late])) === Late
      return result(isLate ? { status: Late, failureMessage: `It takes more than ${most} ms.` } : { status: Success })
    } catch (error) {
      return result({ status: Failed, failureMessage: String(error?.message ?? error) })
    } finally {
      clearTimeout(timer)
    }
  }
}

const suiteOf = (id) => id.slice(0, id.indexOf('#'))

/** Shared setup is covered only by the first test of each suite, so all tests of such suites run. */
const widened = (ids, timeOf) => {
  if (ids === undefined) return undefined
  const suites = ids.map(suiteOf)
  const alone = new Set(suites.filter((suite) => suites.indexOf(suite) === suites.lastIndexOf(suite)))
  return [...ids, ...Object.keys(timeOf).filter((id) => alone.has(suiteOf(id)))]
}

/** The test folders for a folder of sources. */
const nearOf = {
  control: ['control', 'traffic', 'node'],
  domain: ['unit/domain', 'control', 'api'],
  http: ['api', 'control'],
  schema: ['unit/schema', 'api'],
  wire: ['unit/wire', 'api'],
}

const isNear = (suite, source) => nearOf[/\/src\/(\w+)\//.exec(source)?.[1]]?.includes(suite.split('/')[1]) ?? true

/** The tests for code that runs while modules load, which no single test covers: near and quick ones. */
const near = (source, timeOf) => Object.keys(timeOf).filter((id) => timeOf[id] < slow && isNear(suiteOf(id), source))

/** The suites of these tests: near ones first, then quick ones. */
const inOrder = (ids, source, timeOf) => {
  const total = new Map()
  for (const id of ids) total.set(suiteOf(id), (total.get(suiteOf(id)) ?? 0) + timeOf[id])
  const rank = (suite) => (isNear(suite, source) ? 0 : 1)
  return [...total.keys()].toSorted((a, b) => rank(a) - rank(b) || total.get(a) - total.get(b))
}

const build = (injector) => injector.provideValue('globalNamespace', '__stryker__').injectClass(InProcess)
build.inject = ['$injector']

export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', factory: build }]
