import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { runMain } from './support/main.ts'
import { countDistinct } from '../support/count-distinct.ts'

const headers = { authorization: 'Bearer any', accept: 'application/json' }
const users = '/projects/acme/users'

describe('a flag of 0', () => {
  const startHere = async (flags: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { outcome, err } = await runMain(['--log', 'silent', ...flags], env)
    if (!('server' in outcome)) throw new Error(err)
    onTestFinished(() => outcome.server.close())
    return outcome.server
  }

  it('has its effect: --port takes any free port', async () => {
    const [one, other] = [await startHere(['--port', '0']), await startHere([], { PAYLINK_MOCK_PORT: '0' })]
    expect(countDistinct([one.port, other.port, 4600])).toBe(3)
  })

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['--journal-size', ['--journal-size', '0'], {}],
    ['PAYLINK_MOCK_JOURNAL_SIZE', [], { PAYLINK_MOCK_JOURNAL_SIZE: '0' }],
  ])('has its effect: %s records nothing', async (_, flags, env) => {
    const { url } = await startHere(['--port', '0', ...flags], env)
    await fetch(url + users, { headers })
    expect(await connect(url).project('acme').requests.list()).toMatchObject({ items: [], dropped: 1 })
  })
})
