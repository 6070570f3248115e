// A test runner for Stryker: one process, and all modules built anew for each mutant, which takes some 50 ms. With vitest's
// own processes it is seconds for each of the thousands.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { bundleSuites } from './suites.js'

// Rows of a suite that go through a socket ask the same code again.
globalThis.hasSockets = false

const { Success, Failed } = { Success: 0, Failed: 1 }

// How long each test takes, from the first run: the quick ones go first, and what is in force while modules load, which
// is no test's own, is not asked of the slow ones.
const times = 'suites.times.json'
const slow = 150

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
    // What a mutant left behind fails when nobody waits for it any more.
    process.on('unhandledRejection', () => {})
    process.on('uncaughtException', () => {})
    this.#bundle = pathToFileURL(await bundleSuites(process.cwd())).href
  }

  async dryRun() {
    const tests = []
    // A suite at a time, so that what is built once for all tests counts for each suite that needs it.
    for (const suite of Object.keys((await this.#load()).suites)) {
      this.#state.currentTestId = undefined
      for (const test of await this.#testsOf([suite])) tests.push(await this.#run(test))
    }
    writeFileSync(times, JSON.stringify(Object.fromEntries(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]))))
    return { status: 'complete', tests, mutantCoverage: this.#state.mutantCoverage }
  }

  async mutantRun({ activeMutant, hitLimit, mutantActivation, testFilter }) {
    const state = this.#state
    const timeOf = JSON.parse(readFileSync(times, 'utf8'))
    const wanted = new Set(testFilter ?? Object.keys(timeOf).filter((id) => timeOf[id] < slow))
    Object.assign(state, { activeMutant: undefined, hitCount: 0, hitLimit })
    if (mutantActivation === 'static') state.activeMutant = activeMutant.id
    const suites = [...new Set([...wanted].map((id) => id.slice(0, id.indexOf('#'))))]
    let nrOfTests = 0
    try {
      const tests = (await this.#testsOf(suites))
        .filter(({ id }) => wanted.has(id))
        .toSorted((a, b) => timeOf[a.id] - timeOf[b.id])
      state.activeMutant = activeMutant.id
      for (const test of tests) {
        const { status, id, failureMessage } = await this.#run(test)
        nrOfTests += 1
        if (state.hitCount > hitLimit) return { status: 'timeout', reason: `Hit limit reached (${hitLimit})` }
        if (status === Failed) return { status: 'killed', killedBy: [id], failureMessage, nrOfTests }
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

  /** The tests of these suites, in modules that nothing has touched. */
  async #testsOf(names) {
    const { suites, declared } = await this.#load()
    const all = []
    for (const suite of names) {
      const known = declared().length
      await suites[suite]()
      all.push(
        ...declared()
          .slice(known)
          // One that holds a clock to it says nothing while all is slow.
          .filter(({ name }) => !name.includes('in seconds'))
          .map(({ name, run }, index) => ({ id: `${suite}#${index} ${name}`, name, fileName: suite, run })),
      )
    }
    return all
  }

  async #run({ id, name, fileName, run }) {
    this.#state.currentTestId = id
    const start = performance.now()
    const result = (rest) => ({ id, name, fileName, timeSpentMs: Math.round(performance.now() - start), ...rest })
    try {
      await run()
      return result({ status: Success })
    } catch (error) {
      return result({ status: Failed, failureMessage: String(error?.message ?? error) })
    }
  }
}

const build = (injector) => injector.provideValue('globalNamespace', '__stryker__').injectClass(InProcess)
build.inject = ['$injector']

export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', factory: build }]
