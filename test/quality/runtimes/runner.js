// The parts of vitest that the suites use, in plain functions that run in any JavaScript runtime.
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect'

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)

export const expect = Object.assign(
  (value, message) => chai.expect(value, message),
  chai.expect,
  globalThis[ASYMMETRIC_MATCHERS_OBJECT],
)
setState({ assertionCalls: 0 }, expect)

const root = { name: '', before: [], after: [], children: [] }
let suite = root
let finishing = []

export const describe = (name, define) => {
  const parent = suite
  suite = { name, before: [], after: [], children: [] }
  parent.children.push(suite)
  define()
  suite = parent
}
export const it = (name, body) => void suite.children.push({ name, body })
export const beforeAll = (hook) => void suite.before.push(hook)
export const afterAll = (hook) => void suite.after.push(hook)
export const onTestFinished = (hook) => void finishing.push(hook)

// Spreads a case over the parameters if all cases are lists. Without sockets, skips cases that need one.
const each = (add) => (rows) => (name, body) => {
  const spread = rows.every(Array.isArray)
  for (const row of rows.filter((one) => globalThis.hasSockets !== false || !['over HTTP', 'connected'].includes(one)))
    add(`${name} [${rows.indexOf(row)}]`, () => (spread ? body(...row) : body(row)))
}
describe.each = each(describe)
it.each = each(it)

const spies = []

export const vi = {
  spyOn: (object, name) => {
    const original = object[name]
    const calls = []
    let act = original
    object[name] = (...args) => {
      calls.push(args)
      return act.apply(object, args)
    }
    const spy = {
      mock: { calls },
      mockImplementation: (other) => {
        act = other
        return spy
      },
      mockRestore: () => void (object[name] = original),
    }
    spies.push(spy)
    return spy
  },
  restoreAllMocks: () => {
    for (const spy of spies.splice(0).toReversed()) spy.mockRestore()
  },
}

const runOne = async (one, path, found) => {
  finishing = []
  try {
    await one.body({ expect, onTestFinished })
    found.passed += 1
  } catch (error) {
    // A test that needs a socket in a runtime without sockets is skipped.
    const needsSocket = globalThis.hasSockets === false && error?.message.includes('this runtime has no sockets')
    if (needsSocket) found.skipped += 1
    else found.failed.push(`${[...path, one.name].filter(Boolean).join(' > ')}\n  ${error?.stack ?? error}`)
  }
  for (const hook of finishing.toReversed()) await hook()
}

/** Runs all declared tests in order. Returns the numbers of passed and skipped tests, and the failures. */
export const runAll = async (group = root, path = [], found = { passed: 0, skipped: 0, failed: [] }) => {
  const inside = [...path, group.name]
  for (const hook of group.before) await hook()
  for (const child of group.children)
    await ('body' in child ? runOne(child, inside, found) : runAll(child, inside, found))
  for (const hook of group.after) await hook()
  return found
}
