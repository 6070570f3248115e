import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CompareReport } from '../../../src/compare/compare.ts'
import { connect } from '../../../src/core/client/index.ts'
import { behaviorKeys, type BehaviorChoices, behaviorRegistry } from '../../../src/core/schema/behavior.ts'
import { root } from '../../support/installed.ts'
import { seedFile } from '../support/cli.ts'
import { runMain, startHere } from '../support/main.ts'

// A step of CI runs the program in Python.
const hasPython = process.env.SLOW_TESTS !== undefined && spawnSync('python3', ['--version']).status === 0

const defaults = Object.fromEntries(behaviorKeys.map((key) => [key, behaviorRegistry[key].values[0]]))
const others = Object.fromEntries(behaviorKeys.map((key) => [key, behaviorRegistry[key].values[1]]))
// The other values of some would hide others, and a token for one project cannot show `unknownProject`.
const visible: BehaviorChoices = {
  ...others,
  invoiceIds: 'seeded',
  listFreshness: 'immediate',
  emailVerifiedOnCreate: true,
  wrongProjectToken: 403,
  unknownProject: 'create',
  timestampPrecision: 'milliseconds',
}

/** A service may have each invoice and each project. */
const unclear = new Set(['invoiceIds=any', 'unknownProject=create'])

const names = [['probe.js', process.execPath], ...(hasPython ? [['probe.py', 'python3']] : [])]
describe.each(names)('examples/compare/%s', (name, program) => {
  const file = join(root, 'examples/compare', name)

  it('says first that it writes to the service', () => {
    expect(readFileSync(file, 'utf8').split('\n')[0]).toContain('It WRITES to the service: use a test project.')
  })

  it.each<[what: string, behaviors: BehaviorChoices]>([
    ['default', defaults],
    ['other', visible],
  ])('shows all behaviors of a service with %s values, and leaves only canceled links', async (_, behaviors) => {
    const tokens = [
      { token: 'probe', projects: ['probe'] },
      { token: 'other', projects: ['probe-other'] },
    ]
    const projects = { probe: { invoices: ['inv_probe'] }, 'probe-other': {} }
    const { url } = await startHere(['--log', 'silent', '--seed', seedFile({ tokens, projects, behaviors })])
    const words = ['--base-url', url, '--json', '--env', 'OTHER_TOKEN=other', '--', program, file]
    const { out, err } = await runMain(['compare', ...words])
    expect(err).toBe('')
    const { different, observed, calls, same } = JSON.parse(out) as CompareReport
    expect(different).toEqual([])
    const shown = Object.entries(behaviors).filter(([key, value]) => !unclear.has(`${key}=${value}`))
    expect([same, observed]).toEqual([calls, Object.fromEntries(shown)])
    const { users, paymentLinks } = await connect(url).project('probe').state.get()
    expect(users).toEqual([])
    expect(new Set(paymentLinks?.map(({ status }) => status))).toEqual(new Set(['canceled']))
  })
})
