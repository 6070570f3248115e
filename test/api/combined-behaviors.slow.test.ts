import { describe, expect, it } from 'vitest'
import { behaviorMatrix, type BehaviorRow, type MockOptions } from '../../src/node/index.ts'
import { type Api, startApi } from '../support/api.ts'
import { token } from '../support/canary.ts'

const users = '/projects/acme/users'
const links = '/projects/acme/paymentLinks'
const payer = { fullName: 'Ada', email: 'ada@example.com', taxNumber: '1' }
const link = (invoice: string, user: object = payer) => ({ invoice, type: 'partner', partner: { user } })

const options: MockOptions = {
  tokens: [{ token }, { token: 'of_beta', projects: ['beta'] }],
  seed: {
    projects: {
      acme: {
        invoices: ['inv_1'],
        users: [
          { id: 'usr_1', email: 'ada@example.com', metadata: { plan: 'family' } },
          { id: 'usr_2', email: 'grace@example.com' },
          { id: 'usr_3', email: 'ADA@Example.com' },
        ],
        paymentLinks: [
          { id: 'pml_1', invoice: 'inv_1', createdAt: '2025-01-01T00:00:00.000Z' },
          { id: 'pml_2', invoice: 'inv_1', createdAt: '2025-01-02T00:00:00.000Z', status: 'canceled' },
          { id: 'pml_3', invoice: 'inv_1', createdAt: '2025-01-03T00:00:00.000Z', status: 'completed' },
        ],
      },
    },
  },
}

/** A response in short: the code of an error, the ids of a list, or the field of interest. */
type Outcome = readonly [status: number, shows?: unknown]

interface Step {
  readonly does: string
  readonly send: (api: Api) => ReturnType<Api['get']>
  /** Picks the field of interest from a successful response. */
  readonly look?: (body: any) => unknown
  readonly expected: (behaviors: BehaviorRow) => Outcome
}

const ids = (body: { readonly items: readonly { readonly id: string }[] }) => body.items.map(({ id }) => id)
const created = ({ createStatus }: BehaviorRow, shows?: unknown): Outcome => [createStatus, shows]
const invalid = ({ invalidBodyStatus }: BehaviorRow): Outcome => [invalidBodyStatus, 'invalidBody']

// The oracle: a separate table with the documented effect of each behavior.
const foreign: Readonly<Record<BehaviorRow['wrongProjectToken'], Outcome>> = {
  403: [403, 'tokenNotForProject'],
  404: [404, 'projectNotFound'],
  401: [401, 'tokenInvalid'],
}
const found: Readonly<Record<BehaviorRow['searchMatch'], readonly string[]>> = {
  ignoreCase: ['usr_3', 'usr_1'],
  exact: ['usr_3'],
  contains: ['usr_3', 'usr_1'],
}
const foundInPart: Readonly<Record<BehaviorRow['searchMatch'], readonly string[]>> = {
  ignoreCase: [],
  exact: [],
  contains: ['usr_3', 'usr_2', 'usr_1'],
}
const behindGone: Readonly<Record<BehaviorRow['deletedCursor'], Outcome>> = {
  reject: [400, 'cursorDeleted'],
  resume: [200, ['usr_1']],
  empty: [200, []],
}

const steps: readonly Step[] = [
  {
    does: 'creates a user',
    send: ({ post }) => post(users, { email: 'new@example.com', metadata: { plan: 'gold' } }),
    look: ({ emailVerified }) => emailVerified,
    expected: (behaviors) => created(behaviors, behaviors.emailVerifiedOnCreate),
  },
  {
    does: 'creates a user with a number in its metadata and a field that is unknown',
    send: ({ post }) => post(users, { email: 'new@example.com', metadata: { seats: 4 }, shoe: 42 }),
    expected: (behaviors) =>
      behaviors.metadataLimits === 'strings' || behaviors.unknownFields === 'reject'
        ? invalid(behaviors)
        : created(behaviors),
  },
  {
    does: 'creates a user with the email of another',
    send: ({ post }) => post(users, { email: 'GRACE@example.com' }),
    expected: (behaviors) => (behaviors.duplicateEmail === 'conflict' ? [409, 'emailTaken'] : created(behaviors)),
  },
  {
    does: 'creates a link for a payer of few words',
    send: ({ post }) => post(links, link('inv_1', { email: 'ada@example.com' })),
    expected: (behaviors) => (behaviors.payerFields === 'required' ? invalid(behaviors) : created(behaviors)),
  },
  {
    does: 'creates a link for an invoice without the prefix',
    send: ({ post }) => post(links, link('42')),
    expected: (behaviors) =>
      ({ any: created(behaviors), prefix: invalid(behaviors), seeded: [422, 'invoiceNotFound'] as const })[
        behaviors.invoiceIds
      ],
  },
  {
    does: 'creates a link for an invoice that no seed has',
    send: ({ post }) => post(links, link('inv_2')),
    expected: (behaviors) => (behaviors.invoiceIds === 'seeded' ? [422, 'invoiceNotFound'] : created(behaviors)),
  },
  {
    does: 'lists users and accepts no JSON',
    send: ({ send }) => send('GET', users, { headers: { accept: 'text/html' } }),
    look: ids,
    expected: ({ requestHeaders }) =>
      requestHeaders === 'required' ? [406, 'notAcceptable'] : [200, ['usr_3', 'usr_2', 'usr_1']],
  },
  {
    does: 'lists users of a project that no seed has, with a parameter that is unknown',
    send: ({ get }) => get('/projects/nova/users?colour=blue'),
    look: ids,
    expected: ({ unknownProject, unknownFields }) => {
      if (unknownProject === 'notFound') return [404, 'projectNotFound']
      return unknownFields === 'reject' ? [400, 'invalidQuery'] : [200, []]
    },
  },
  {
    does: 'lists users with the token of another project',
    send: ({ send }) => send('GET', users, { headers: { authorization: 'Bearer of_beta' } }),
    expected: ({ wrongProjectToken }) => foreign[wrongProjectToken],
  },
  {
    does: 'cancels a canceled link',
    send: ({ send }) => send('POST', `${links}/pml_2/cancel`),
    look: ({ status }) => status,
    expected: ({ cancelInactive }) =>
      cancelInactive === 'conflict' ? [409, 'paymentLinkNotActive'] : [200, 'canceled'],
  },
  {
    does: 'cancels a completed link',
    send: ({ send }) => send('POST', `${links}/pml_3/cancel`),
    expected: () => [409, 'paymentLinkNotActive'],
  },
  {
    does: 'lists payment links behind the one in the middle',
    send: ({ get }) => get(`${links}?after=pml_2`),
    look: ids,
    expected: ({ paymentLinkOrder }) => [200, [paymentLinkOrder === 'newestFirst' ? 'pml_1' : 'pml_3']],
  },
  {
    does: 'searches for an email',
    send: ({ post }) => post(`${users}/search`, { email: 'ADA@Example.com' }),
    look: ids,
    expected: ({ searchMatch }) => [200, found[searchMatch]],
  },
  {
    does: 'searches for a part of an email',
    send: ({ post }) => post(`${users}/search`, { email: 'EXAMPLE' }),
    look: ids,
    expected: ({ searchMatch }) => [200, foundInPart[searchMatch]],
  },
  {
    does: 'searches for no email',
    send: ({ post }) => post(`${users}/search`, { email: null }),
    look: ids,
    expected: ({ searchWithoutEmail }) => [200, searchWithoutEmail === 'all' ? ['usr_3', 'usr_2', 'usr_1'] : []],
  },
  {
    does: 'changes an email and adds metadata',
    send: ({ patch }) => patch(`${users}/usr_1`, { email: 'new@example.com', metadata: { tier: 'one' } }),
    look: ({ emailVerified, metadata }) => [emailVerified, metadata],
    expected: ({ emailVerifiedOnChange, metadataUpdate }) => [
      200,
      [
        emailVerifiedOnChange === 'keep',
        metadataUpdate === 'merge' ? { plan: 'family', tier: 'one' } : { tier: 'one' },
      ],
    ],
  },
  {
    does: 'lists users behind one that was deleted',
    send: async (api) => {
      await api.delete(`${users}/usr_2`)
      await api.mock.clock.advance(2000)
      return api.get(`${users}?after=usr_2`)
    },
    look: ids,
    expected: ({ deletedCursor }) => behindGone[deletedCursor],
  },
  {
    does: 'retrieves a link',
    send: ({ get }) => get(`${links}/pml_3`),
    look: ({ createdAt }) => createdAt,
    expected: ({ timestampPrecision }) => [
      200,
      timestampPrecision === 'seconds' ? '2025-01-03T00:00:00Z' : '2025-01-03T00:00:00.000Z',
    ],
  },
]

const rows = behaviorMatrix().map((behaviors, nth) => [nth + 1, behaviors] as const)

describe.each(rows)('with combination %i of all pairs of behavior values', (_, behaviors) => {
  it.each(steps)('a client $does', async (step) => {
    await expectResponse(await startApi('in process', { ...options, behaviors }), step, behaviors)
  })

  it('a client over HTTP gets the same responses', async () => {
    const api = await startApi('over HTTP', { ...options, behaviors })
    for (const step of steps) {
      // oxlint-disable-next-line no-await-in-loop -- each step starts from the seed
      await api.mock.reset()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expectResponse(api, step, behaviors)
    }
  })
})

const expectResponse = async (api: Api, step: Step, behaviors: BehaviorRow) => {
  const { status, headers, body } = await step.send(api)
  const [expectedStatus, shows] = step.expected(behaviors)
  expect([status, status >= 400 ? body.code : step.look?.(body)]).toEqual([expectedStatus, shows])
  const form = status >= 400 && behaviors.errorFormat === 'problem' ? 'application/problem+json' : 'application/json'
  expect(headers.get('content-type')).toBe(form)
}
