// Proves: Races.
/** The same concurrent actions over real connections, which are reused in every round. */
import { Agent, request as httpRequest } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../../src/node/index.ts'
import { maxWait } from '../../cli/support/wait.ts'
import { noon } from '../../support/api.ts'
import {
  type ActionResult,
  getErrorCode,
  type Action,
  createEmail,
  expectConsistent,
  expectDocumented,
  expectOneWinner,
  linkId,
  createRequest,
  type Sent,
  succeeded,
} from './actions.ts'
import { allCalls, calls, createWatch, expectOneStory, startMock } from './in-turn.ts'

// RACE_ROUNDS=5000 for a longer run.
const rounds = Number(process.env.RACE_ROUNDS ?? 20)

const start = async () => {
  const template = { paymentLinks: [{ id: linkId, invoice: 'inv_1' }] }
  const mock = createMock({ seed: { template }, clock: noon })
  onTestFinished(() => mock.close())
  const { url } = await mock.listen()
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  onTestFinished(() => agent.destroy())
  const send = async (action: Action, project: string, n: number): Promise<ActionResult> => {
    const { status, text } = await sendOn(agent, url, createRequest(action, project, n), n % 3)
    return { action, n, status, code: getErrorCode(text) }
  }
  return { mock, send }
}

/** Sends the head and the first bytes of the body at once, and the rest in the next turn of the event loop. */
const sendOn = (agent: Agent, url: string, { method, path, headers, body }: Sent, first: number) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const length = { 'content-length': String(body.length) }
    const outgoing = httpRequest(url + path, { agent, method, headers: { ...headers, ...length } }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ status: incoming.statusCode!, text }))
    })
    outgoing.on('error', reject)
    outgoing.write(body.slice(0, first))
    setImmediate(() => outgoing.end(body.slice(first)))
  })

/** Another order in each round. */
const turned = <T>(items: readonly T[], by: number): T[] => [
  ...items.slice(by % items.length),
  ...items.slice(0, by % items.length),
]

it(`one action wins each link, and the others get documented errors, over ${rounds} rounds on kept connections`, async () => {
  const { mock, send } = await start()
  const actions: readonly Action[] = ['cancel', 'pay', 'create', 'payPage', 'cancel', 'pay', 'delete', 'create']
  const used = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const project = mock.project(`round-${round}`)
    // Half of the rounds do not delete the link.
    const mixed = turned(round % 2 === 0 ? actions : actions.filter((action) => action !== 'delete'), round)
    const responses = await Promise.all(mixed.map((action, n) => send(action, project.id, n)))
    expectDocumented(responses)
    const link = (await project.paymentLinks.list()).items.find(({ id }) => id === linkId)
    expect(expectOneWinner(responses, link)).toBe((await project.summary()).revision)
    const { items } = await project.requests.list()
    const changed = items.flatMap(({ changes }) => changes)
    const ofApi = responses.filter((response) => ['cancel', 'create'].includes(response.action))
    expect(items).toHaveLength(ofApi.length)
    expect(changed).toHaveLength(ofApi.filter(succeeded).length)
    used.add(responses.find(succeeded)!.action)
  }
  // Otherwise all rounds would have had the same winner.
  expect(used.size).toBeGreaterThan(1)
})

it(`a concurrent reset leaves a consistent state, over ${rounds} rounds on kept connections`, async () => {
  const { mock, send } = await start()
  const actions: readonly Action[] = ['cancel', 'create', 'payPage', 'create', 'pay', 'cancel']
  for (let round = 0; round < rounds; round++) {
    const project = mock.project(`round-${round}`)
    const mixed = turned(actions, round)
    // Some requests have passed before the reset, in a different phase in each round, and the others wait.
    const skip = round % 4
    const phase = round % 8 < 4 ? 'before' : 'after'
    const hold = await project.faults.add({ skip, times: null, phase, effect: { hold: true } })
    const sent = mixed.map((action, n) => send(action, project.id, n))
    await hold.waitForHeld(4 - skip, { within: maxWait })
    const { revision: then } = await project.reset()
    const responses = await Promise.all(sent)
    expectDocumented(responses, ['503 stateReplaced'])
    expect(responses.filter(({ code }) => code === 'stateReplaced')).toHaveLength(4 - skip)

    const { items } = await project.paymentLinks.list()
    expectConsistent(items[0]!)
    const users = (await project.users.list()).items.map(({ email }) => email)
    const writes = users.length + (items[0]!.status === 'active' ? 0 : 1)
    expect((await project.summary()).revision - then).toBe(writes)
    // Every user in the state was created successfully, and no user of a failed create is in it.
    for (const response of responses.filter(({ action }) => action === 'create'))
      if (!succeeded(response)) expect(users).not.toContain(createEmail(response.n))
    const made = responses
      .filter((response) => response.action === 'create' && succeeded(response))
      .map(({ n }) => createEmail(n))
    for (const email of users) expect(made).toContain(email)
  }
})

it(`concurrent calls have the responses and the state of a sequential order, over ${rounds} rounds`, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  onTestFinished(() => agent.destroy())
  for (let round = 0; round < rounds; round++) {
    await using mock = await startMock()
    const { url } = await mock.listen()
    const { made, watch } = createWatch()
    // Steps of seven through twenty calls: other neighbours in each round.
    const mixed = [0, 1, 2, 3, 4, 5].map((nth) => allCalls[(round + 7 * nth) % allCalls.length]!)
    await Promise.all(mixed.map((call, n) => watch(call, () => sendOn(agent, url, calls[call], n % 3))))
    await expectOneStory(mock, made, true)
  }
})
