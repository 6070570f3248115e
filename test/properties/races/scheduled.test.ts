// Proves: Races.
/** Requests whose bodies arrive in parts, and calls between them, in every order of the scheduler. */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMock, type Mock, type ProjectControl } from '../../../src/node/index.ts'
import { noon } from '../../support/api.ts'
import {
  type ActionResult,
  getErrorCode,
  type Action,
  createEmail,
  expectConsistent,
  expectDocumented,
  expectOneWinner,
  isApi,
  linkId,
  type Replacement,
  createRequest,
  succeeded,
} from './actions.ts'
import { race, sendInPieces } from './scheduling.ts'

// RACE_RUNS=5000 for a longer run; a failure prints its seed and path.
const numRuns = Number(process.env.RACE_RUNS ?? 12)

const actions = fc.array(fc.constantFrom<Action[]>('cancel', 'cancel', 'pay', 'payPage', 'delete', 'create'), {
  minLength: 2,
  maxLength: 7,
})
const replacements = fc.array(fc.constantFrom<Replacement[]>('reset', 'restore', 'load'), {
  minLength: 1,
  maxLength: 2,
})

const startRace = async () => {
  const seed = { projects: { acme: { paymentLinks: [{ id: linkId, invoice: 'inv_1' }] } } }
  const mock = createMock({ seed, clock: noon })
  const acme = mock.project('acme')
  await acme.snapshots.save('start')
  const effect = { hold: true } as const
  const holds = [
    await acme.faults.add({ match: { operation: 'cancelPaymentLink' }, skip: 1, effect }),
    await acme.faults.add({ match: { operation: 'createUser' }, times: null, phase: 'after', effect }),
  ]
  return { mock, acme, holds, document: await acme.state.get() }
}

const send = async (mock: Mock, scheduler: fc.Scheduler, action: Action, n: number): Promise<ActionResult> => {
  const { status, text } = await sendInPieces(mock.fetch, scheduler, createRequest(action, 'acme', n))
  return { action, n, status, code: getErrorCode(text) }
}

const readState = async (acme: ProjectControl) => {
  const links = (await acme.paymentLinks.list()).items
  const users = (await acme.users.list()).items.map(({ email }) => email).toSorted()
  const { revision } = await acme.summary()
  return { link: links.find(({ id }) => id === linkId), users, revision }
}

const listEmails = (responses: readonly ActionResult[]) =>
  responses
    .filter((response) => response.action === 'create' && succeeded(response))
    .map(({ n }) => createEmail(n))
    .toSorted()

it(`one action wins the link, the others get documented errors, and the journal and the revision agree, over ${numRuns} races`, () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), actions, async (scheduler, chosen) => {
      const { mock, acme, holds } = await startRace()
      const responses: ActionResult[] = []
      await race(scheduler, holds, () =>
        chosen.map(async (action, n) => {
          await scheduler.schedule(Promise.resolve(), action)
          responses.push(await send(mock, scheduler, action, n))
        }),
      )
      expectDocumented(responses)
      const { link, users, revision } = await readState(acme)
      expect(expectOneWinner(responses, link)).toBe(revision)
      expect(users).toEqual(listEmails(responses))
      const { items } = await acme.requests.list()
      const ofApi = responses.filter(isApi)
      expect(items.map(({ status }) => status).toSorted()).toEqual(ofApi.map(({ status }) => status).toSorted())
      // Each change belongs to exactly the request that made it.
      for (const { status, changes } of items) expect(changes).toHaveLength(status! < 400 ? 1 : 0)
    }),
    { numRuns },
  ))

it(`a request that started before a reset, a restore or a load never writes after it, over ${numRuns} races`, () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), actions, replacements, async (scheduler, chosen, replaced) => {
      const { mock, acme, holds, document } = await startRace()
      // Counts the replacements before the start and before the response of an action.
      let count = 0
      let revisionThen = 0
      let lastReset = 0
      const results: (ActionResult & { readonly begun: number; readonly ended: number })[] = []
      const replace = async (how: Replacement) => {
        await scheduler.schedule(Promise.resolve(), how)
        count++
        if (how === 'reset') lastReset = count
        const { revision } = await {
          reset: () => acme.reset(),
          restore: () => acme.snapshots.restore('start'),
          load: () => acme.state.put(document),
        }[how]()
        revisionThen = revision
      }
      await race(scheduler, holds, () => [
        ...chosen.map(async (action, n) => {
          await scheduler.schedule(Promise.resolve(), action)
          const begun = count
          const response = await send(mock, scheduler, action, n)
          results.push({ ...response, begun, ended: count })
        }),
        ...replaced.map(replace),
      ])
      expectDocumented(results, ['503 stateReplaced'])
      for (const { code, begun, ended } of results)
        if (code === 'stateReplaced') expect(begun, 'the order of a response with stateReplaced').toBeLessThan(ended)

      const { link, users, revision } = await readState(acme)
      if (link !== undefined) expectConsistent(link)
      const ofApi = results.filter(isApi)
      const since = ofApi.filter(({ begun }) => begun === count)
      // The state has exactly the records of requests that started on it.
      expect(users).toEqual(listEmails(since))
      if (link?.status === 'canceled') expect(since.some((one) => one.action === 'cancel' && succeeded(one))).toBe(true)
      // Only the state shows when a control call took effect.
      const writes = users.length + (link === undefined || link.status !== 'active' ? 1 : 0)
      if (!chosen.includes('delete')) expect(revision - revisionThen).toBe(writes)
      const { items } = await acme.requests.list()
      const journaled = ofApi.filter(({ begun }) => begun >= lastReset).map(({ status }) => status)
      expect(items.map(({ status }) => status).toSorted()).toEqual(journaled.toSorted())
    }),
    { numRuns },
  ))
