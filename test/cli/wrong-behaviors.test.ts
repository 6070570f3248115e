// Proves: Rejected means unchanged.
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { createMock, type Mock } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { seedFile } from './support/cli.ts'
import { runMain } from './support/main.ts'
import { readResponse } from '../support/read.ts'

type Choices = Readonly<Record<string, string | number | boolean>>

/** Sends invalid choices and returns the error message. Checks that nothing changed. */
type Way = (choices: Choices) => Promise<string>

const textOf = (choices: Choices) => Object.entries(choices).map(([key, value]) => `${key}=${String(value)}`)
const inProject = (choices: Choices) => ({ projects: { acme: { behaviors: choices } } })

const onCommandLine = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { outcome, out, err } = await runMain(argv, env)
  expect(outcome).toEqual({ exitCode: expect.any(Number) })
  expect((outcome as { exitCode: number }).exitCode).toBeGreaterThan(0)
  expect(out).toBe('')
  return err
}

const whenMade = (options: object) => async (): Promise<string> => {
  try {
    createMock(options)
  } catch (error) {
    expect(error).toMatchObject({ name: 'MockError', code: 'invalidOptions' })
    return (error as Error).message
  }
  throw new Error('Nothing was rejected.')
}

/** A mock with behavior values that must not change. */
const startMock = (): Mock => {
  const mock = createMock({
    clock: noon,
    behaviors: { createStatus: 200 },
    seed: { projects: { acme: { users: [{ email: 'ada@example.com' }] } } },
  })
  onTestFinished(() => mock.close())
  return mock
}

const stateOf = async (mock: Mock) => [await mock.state.get(), await mock.projects()]

const overHttp =
  (method: string, path: string, bodyOf: (choices: Choices) => unknown): Way =>
  async (choices) => {
    const mock = startMock()
    const before = await stateOf(mock)
    const response = await mock.fetch(`/__admin${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(choices)),
    })
    const { body: error } = await readResponse(response)
    expect([response.status, error.code]).toEqual([422, 'invalidBody'])
    expect(await stateOf(mock)).toEqual(before)
    return error.message
  }

const byControl =
  (
    how: 'embedded' | 'connected',
    act: (control: Pick<Mock, 'behaviors' | 'project'>, choices: Choices) => Promise<unknown>,
  ): Way =>
  async (choices) => {
    const mock = startMock()
    const before = await stateOf(mock)
    const control = how === 'embedded' ? mock : connect((await mock.listen()).url)
    const error: unknown = await act(control, choices).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'MockError', code: 'invalidBody', status: 422 })
    expect(await stateOf(mock)).toEqual(before)
    return (error as Error).message
  }

const behaviorsIn = (choices: Choices) => ({ behaviors: choices })
// A valid choice and valid records next to the invalid choice must be rejected, too.
const withMore = (choices: Choices) => ({
  users: [{ email: 'new@example.com' }],
  behaviors: { searchMatch: 'exact', ...choices },
})

const ways: Readonly<Record<string, Way>> = {
  'the flag': (choices) => onCommandLine(textOf(choices).flatMap((choice) => ['--behavior', choice])),
  'the variable': (choices) => onCommandLine([], { PAYLINK_MOCK_BEHAVIORS: textOf(choices).join(',') }),
  'a seed file': (choices) => onCommandLine(['--seed', seedFile(behaviorsIn(choices))]),
  'a project of a seed file': (choices) => onCommandLine(['--seed', seedFile(inProject(choices))]),
  'a seed file by its variable': (choices) => onCommandLine([], { PAYLINK_MOCK_SEED: seedFile(behaviorsIn(choices)) }),
  'a seed file that is validated': (choices) => onCommandLine(['validate', seedFile(behaviorsIn(choices))]),
  'the option of the library': (choices) => whenMade({ behaviors: choices })(),
  'the seed of the library': (choices) => whenMade({ seed: behaviorsIn(choices) })(),
  'a project of the seed of the library': (choices) => whenMade({ seed: inProject(choices) })(),
  'PATCH /__admin/behaviors': overHttp('PATCH', '/behaviors', (choices) => ({ searchMatch: 'exact', ...choices })),
  'PATCH /__admin/projects/acme/behaviors': overHttp('PATCH', '/projects/acme/behaviors', (choices) => choices),
  'PUT /__admin/state': overHttp('PUT', '/state', behaviorsIn),
  'a project of PUT /__admin/state': overHttp('PUT', '/state', inProject),
  'PUT /__admin/projects/acme/state': overHttp('PUT', '/projects/acme/state', withMore),
  'PATCH /__admin/state': overHttp('PATCH', '/state', behaviorsIn),
  'a project of PATCH /__admin/state': overHttp('PATCH', '/state', inProject),
  'PATCH /__admin/projects/acme/state': overHttp('PATCH', '/projects/acme/state', withMore),
  'the embedded control': byControl('embedded', (control, choices) => control.behaviors.set(choices)),
  'the embedded control of a project': byControl('embedded', (control, choices) =>
    control.project('acme').behaviors.set(choices),
  ),
  'the connected control': byControl('connected', (control, choices) => control.behaviors.set(choices)),
  'the connected control of a project': byControl('connected', (control, choices) =>
    control.project('acme').behaviors.set(choices),
  ),
}

const wrong: readonly (readonly [what: string, choices: Choices, says: RegExp])[] = [
  ['a slip in a key', { cancelInactiv: 'conflict' }, /cancelInactiv.*did you mean 'cancelInactive'\?/],
  ['a key in other letters', { CANCELINACTIVE: 'conflict' }, /did you mean 'cancelInactive'\?/],
  [
    'a key like no other',
    { colour: 'blue' },
    /colour.*(?:keys|fields) are createStatus, invalidBodyStatus, .*timestampPrecision\.?/,
  ],
  [
    'a value that is none',
    { cancelInactive: 'maybe' },
    /cancelInactive must be 'conflict' or 'idempotent' \(got 'maybe'\)/,
  ],
  [
    'a value of another key',
    { searchMatch: 'conflict' },
    /searchMatch must be 'ignoreCase', 'exact' or 'contains' \(got/,
  ],
  ['a number that is none', { createStatus: 202 }, /createStatus must be 201 or 200 \(got '?202'?\)/],
  [
    'a truth that is none',
    { emailVerifiedOnCreate: 'yes' },
    /emailVerifiedOnCreate must be true or false \(got 'yes'\)/,
  ],
  ['a slip beside a good choice', { createStatus: 200, payerField: 'required' }, /did you mean 'payerFields'\?/],
]

describe.each(Object.entries(ways))('by %s', (_, way) => {
  it.each(wrong)('%s is rejected, and nothing changes', async (_what, choices, says) => {
    expect(await way(choices)).toMatch(says)
  })
})
