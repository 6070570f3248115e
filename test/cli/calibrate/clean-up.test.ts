import { describe, expect, it } from 'vitest'
import { fileWith } from '../support/cli.ts'
import { runMain } from '../support/main.ts'
import { type Failure, startStandIn } from './stand-in.ts'
import { ask, type StandIn } from './support/ask.ts'

const nothing = { users: 0, activeLinks: 0, harmed: [] }

/** A failure of the first matching requests only. */
const first = (count: number, matches: (method: string, path: string) => boolean, failure: Failure) => {
  let left = count
  return (method: string, path: string) => (matches(method, path) && left-- > 0 ? failure : undefined)
}
const isCreateUser = (method: string, path: string) => method === 'POST' && path === '/users'
const isCreateLink = (method: string, path: string) => method === 'POST' && path === '/paymentLinks'
const isSearch = (path: string) => path === '/users/search'
const isCancel = (_: string, path: string) => path.endsWith('/cancel')

/** An existing user without an email. */
const existingUser = JSON.stringify({ object: 'user', id: 'usr_000004', email: '', fullName: null, metadata: {} })

const allFailures: readonly [what: string, failure: Failure][] = [
  ['a reset of the connection', { isDone: false }],
  ['a reset of the connection after the work', { isDone: true }],
  ['303', { isDone: false, status: 303 }],
  ['303 after the work', { isDone: true, status: 303 }],
  ['408', { isDone: false, status: 408 }],
  ['408 after the work', { isDone: true, status: 408 }],
  ['422', { isDone: false, status: 422 }],
  ['500', { isDone: false, status: 500 }],
  ['500 after the work', { isDone: true, status: 500 }],
  ['503', { isDone: false, status: 503 }],
  ['503 after the work', { isDone: true, status: 503 }],
  ['201 without a record, after the work', { isDone: true, status: 201, text: '{}' }],
  ['200 with a user of others', { isDone: false, status: 200, text: existingUser }],
]

// Each kind once: a broken connection, work that was done, a redirect, and a record of others.
const failures = process.env.SLOW_TESTS ? allFailures : allFailures.filter((_, index) => index % 4 === 0)

const flagsOf = ({ url, project, token, invoice }: StandIn) =>
  `--base-url ${url} --project ${project} --token ${token} --invoice ${invoice} --yes`.split(' ')

describe.each(['calibrate', 'drift'])('%s', (command) => {
  const argsOf = (service: StandIn) => [
    command,
    ...flagsOf(service),
    ...(command === 'drift' ? ['--behaviors', fileWith('{"behaviors":{"invalidBodyStatus":422}}')] : []),
    '--only',
    'invalidBodyStatus',
  ]

  it('keeps existing users when a body without an email causes 500', async () => {
    const service = await startStandIn({ badBody: 500 })
    const { out } = await runMain(argsOf(service))
    expect(out).toMatch(/^invalidBodyStatus +has an unknown value: .* 500/m)
    expect(service.leftBehind()).toEqual(nothing)
  })

  it.each(failures)('keeps existing users when a body without an email causes %s', async (_, failure) => {
    const service = await startStandIn({
      badBody: 'create',
      retryAfter: '0',
      failureOf: first(1, isCreateUser, failure),
    })
    await runMain(argsOf(service))
    expect(service.leftBehind()).toEqual(nothing)
  })
})

describe('a create without a clear outcome', () => {
  it('is undone although a later create for the same invoice succeeds', async () => {
    const service = await startStandIn({
      manyLinks: true,
      anyPayer: true,
      failureOf: first(1, isCreateLink, { isDone: true, status: 500 }),
    })
    const report = await ask(service, { keys: ['payerFields', 'cancelInactive'] })
    expect(service.leftBehind()).toEqual(nothing)
    expect(report.leftBehind).toEqual([])
    expect(report.canceled.toSorted()).toEqual([...service.links.keys()].slice(1))
  })

  it.each([
    ['user', isCreateUser, 'searchMatch'],
    ['link', isCreateLink, 'cancelInactive'],
  ] as const)('is undone when the %s is not on the first page', async (_, matches, key) => {
    const service = await startStandIn({
      others: 450,
      manyLinks: true,
      oldestFirst: true,
      searchesAll: true,
      failureOf: first(1, matches, { isDone: true }),
    })
    expect(await ask(service, { keys: [key] })).toMatchObject({ leftBehind: [] })
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('is undone when the user has no email and is not on the first page', async () => {
    const failureOf = first(1, isCreateUser, { isDone: true, status: 500 })
    const service = await startStandIn({ others: 450, oldestFirst: true, badBody: 'create', failureOf })
    expect(await ask(service, { keys: ['invalidBodyStatus'] })).toMatchObject({ leftBehind: [] })
    expect(service.leftBehind()).toEqual(nothing)
  })

  it.each([
    ['user', isCreateUser, 'createStatus', /^The user 'paylink-mock-calibrate\+\S+@example\.com' may still exist: /],
    ['link', isCreateLink, 'cancelInactive', /^A payment link for 'inv_2025_0001' may still exist: /],
  ] as const)('is reported when it accepts a %s that is not found', async (_, matches, key, sentence) => {
    const failureOf = first(1, matches, { isDone: false, status: 202, text: '{}' })
    const report = await ask(await startStandIn({ failureOf }), { keys: [key] })
    expect(report.leftBehind).toEqual([expect.stringMatching(sentence)])
    expect(report.leftBehind[0]).toMatch(/ returned 202, and no record with '\w{10}' was found\.$/)
  })

  it('is reported, and the search stops, when the list never ends', async () => {
    const page = '{"items":[],"moreItemsAfter":"again"}'
    const service = await startStandIn({
      badBody: 500,
      failureOf: (_, path) => (isSearch(path) ? { isDone: false, status: 200, text: page } : undefined),
    })
    const report = await ask(service, { keys: ['invalidBodyStatus'] })
    expect(report.leftBehind).toEqual([
      expect.stringMatching(
        /^The user '\S+\.invalid@example\.com' may still exist: POST \S+ returned 500, and no record/,
      ),
      expect.stringMatching(/^More records may exist: POST \S+\/users\/search has more than 100 pages\.$/),
    ])
  })

  it('is undone for the records found so far, and reported, when the list fails', async () => {
    let pages = 0
    const service = await startStandIn({
      others: 250,
      searchesAll: true,
      badBody: 'create',
      failureOf: (method, path) => {
        if (isCreateUser(method, path)) return { isDone: true, status: 500 }
        return isSearch(path) && ++pages > 1 ? { isDone: false, status: 500 } : undefined
      },
    })
    const report = await ask(service, { keys: ['invalidBodyStatus'] })
    expect(service.leftBehind()).toEqual(nothing)
    expect(report.leftBehind).toEqual([
      expect.stringMatching(/^More records may exist: the list has no page: POST \S+ returned 500\.$/),
    ])
  })
})

describe('a record that is found', () => {
  /** A search that finds these records, each of which can be retrieved, after a create that fails. */
  const finding =
    (page: { readonly items: readonly unknown[]; readonly moreItemsAfter?: unknown }, retrieved = page.items[0]) =>
    (method: string, path: string) => {
      if (isCreateUser(method, path)) return { isDone: false, status: 500 }
      if (isSearch(path)) return { isDone: false, status: 200, text: JSON.stringify(page) }
      return method === 'GET' && path.startsWith('/users/')
        ? { isDone: false, status: 200, text: JSON.stringify(retrieved) }
        : undefined
    }
  const deletions = ({ seen }: StandIn) => seen.filter((line) => line.startsWith('DELETE'))

  it('is deleted although the service has changed the case of its name', async () => {
    const items = [{ id: 'usr_99', fullName: 'PAYLINK MOCK CALIBRATE AAAAAAAAAA' }]
    const service = await startStandIn({ failureOf: finding({ items }) })
    await ask(service, { keys: ['invalidBodyStatus'], random: () => 0 })
    expect(new Set(deletions(service))).toEqual(new Set(['DELETE /v2/projects/acme/users/usr_99']))
  })

  it.each([
    ['of another run', { id: 'usr_99', fullName: 'Paylink Mock Calibrate baaaaaaaaa' }],
    ['without an email', { id: 'usr_99', email: '' }],
    ['without any field', null],
  ])('is not deleted when it is one %s', async (_, item) => {
    const service = await startStandIn({ failureOf: finding({ items: [item] }) })
    const report = await ask(service, { keys: ['invalidBodyStatus'], random: () => 0 })
    expect(deletions(service)).toEqual([])
    expect(report.leftBehind).toEqual([expect.stringMatching(/ and no record with 'aaaaaaaaaa' was found\.$/)])
  })

  it.each([
    ['of others', { id: 'usr_99', email: 'zoe@customer.example' }],
    ['with another id', { id: 'usr_98', fullName: 'Paylink Mock Calibrate aaaaaaaaaa' }],
  ])('is reported and not deleted when its id leads to one %s', async (_, retrieved) => {
    const items = [{ id: 'usr_99', fullName: 'Paylink Mock Calibrate aaaaaaaaaa' }]
    const service = await startStandIn({ failureOf: finding({ items }, retrieved) })
    const report = await ask(service, { keys: ['invalidBodyStatus'], random: () => 0 })
    expect(deletions(service)).toEqual([])
    expect(report.leftBehind).toContainEqual(
      expect.stringMatching(/^User 'usr_99' was not deleted: it cannot be recognized: /),
    )
  })

  it('is found after a cursor that must be escaped in a URL', async () => {
    const service = await startStandIn({ failureOf: finding({ items: [], moreItemsAfter: 'a b&limit=0#' }) })
    await ask(service, { keys: ['invalidBodyStatus'] })
    const query = new URL(service.seen.at(-1)!.slice('POST '.length), service.url).searchParams
    expect(Object.fromEntries(query)).toEqual({ after: 'a b&limit=0#' })
  })

  it.each(['', null, undefined, 7])('is the last when the cursor after it is %j', async (moreItemsAfter) => {
    const service = await startStandIn({ failureOf: finding({ items: [], moreItemsAfter }) })
    await ask(service, { keys: ['invalidBodyStatus'] })
    expect(service.seen.filter((line) => line.includes('/search'))).toHaveLength(3)
  })
})

describe('a record that is found without an id', () => {
  it('is reported', async () => {
    const text = '{"items":[{"email":"paylink-mock-calibrate+aaaaaaaaaa.1@example.com"}]}'
    const service = await startStandIn({
      failureOf: (_, path) => (path.startsWith('/users') ? { isDone: false, status: 200, text } : undefined),
    })
    const report = await ask(service, { keys: ['createStatus'], random: () => 0 })
    expect(service.seen.filter((line) => line.startsWith('DELETE'))).toEqual([])
    expect(report.leftBehind).toContain("More records may exist: a record with 'aaaaaaaaaa' has no usable id.")
  })
})

describe('a create that returns a record of others', () => {
  it('is reported and leaves that record unchanged', async () => {
    const failureOf = (method: string, path: string) =>
      isCreateUser(method, path) ? { isDone: false, status: 200, text: existingUser } : undefined
    const service = await startStandIn({ failureOf })
    const report = await ask(service, { keys: ['metadataUpdate', 'deletedCursor', 'emailVerifiedOnChange'] })
    expect(service.seen.filter((line) => /PATCH|DELETE/.test(line))).toEqual([])
    expect(service.leftBehind()).toEqual(nothing)
    expect(report.leftBehind).not.toEqual([])
  })

  it('is not counted as a second user with the email', async () => {
    const service: StandIn = await startStandIn({
      failureOf: (method, path) => {
        const made = [...service.users.values()].at(-1)!
        return isCreateUser(method, path) && made.email?.startsWith('paylink-mock')
          ? { isDone: false, status: 200, text: JSON.stringify(made) }
          : undefined
      },
    })
    const report = await ask(service, { keys: ['duplicateEmail'] })
    expect(report.findings).toMatchObject([
      { outcome: 'unknown', what: 'a second user with the same email returns 200' },
    ])
    expect(report.leftBehind).toEqual([])
    expect(service.leftBehind()).toEqual(nothing)
  })

  it.each(['', '.', '..', '\uD800', 7, null])('is never requested by the id %j', async (id) => {
    const service: StandIn = await startStandIn({
      failureOf: (method, path) =>
        isCreateUser(method, path)
          ? {
              isDone: false,
              status: 201,
              text: JSON.stringify({ id, email: 'paylink-mock-calibrate+aaaaaaaaaa.1@example.com' }),
            }
          : undefined,
    })
    const report = await ask(service, { keys: ['deletedCursor'], random: () => 0 })
    expect(service.seen.filter((line) => line.startsWith('DELETE'))).toEqual([])
    expect(report.leftBehind).toEqual([expect.stringMatching(/^The user '.*' may still exist: /)])
  })
})

describe('clean-up', () => {
  const isDelete = (method: string) => method === 'DELETE'

  it.each([
    ['a cancel', isCancel, 'payerFields', { isDone: false, status: 500 }],
    ['a cancel', isCancel, 'payerFields', { isDone: false }],
    ['a deletion', isDelete, 'createStatus', { isDone: false, status: 500 }],
    ['a deletion', isDelete, 'createStatus', { isDone: false }],
  ] as const)('tries %s again that failed', async (_, matches, key, failure) => {
    const service = await startStandIn({ failureOf: first(1, matches, failure) })
    expect(await ask(service, { keys: [key] })).toMatchObject({ leftBehind: [] })
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('reports a cancel that always fails, with exit code 1, and undoes the rest', async () => {
    const service = await startStandIn({
      failureOf: (method, path) => (isCancel(method, path) ? { isDone: false, status: 500 } : undefined),
    })
    const { outcome, out, err } = await runMain([
      'calibrate',
      ...flagsOf(service),
      '--only',
      'payerFields,createStatus',
    ])
    expect(outcome).toEqual({ exitCode: 1 })
    expect(err).toMatch(/^Payment link 'pml_\d+' is still active: POST \S+\/cancel returned 500\.$/m)
    expect(out).not.toContain('Payment links created and canceled')
    expect(service.leftBehind()).toEqual({ ...nothing, activeLinks: 1 })
  })

  it.each([404, 410])('treats a user as deleted when its deletion failed and a read returns %s', async (status) => {
    const service = await startStandIn({
      failureOf: (method, path) => {
        if (isDelete(method)) return { isDone: true, status: 500 }
        const isGone = path.startsWith('/users/usr_') && service.leftBehind().users === 0
        return isGone ? { isDone: false, status } : undefined
      },
    })
    expect(await ask(service, { keys: ['createStatus'] })).toMatchObject({ leftBehind: [] })
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('reports a user that was not deleted although its status is that of a canceled link', async () => {
    const email = 'paylink-mock-calibrate+aaaaaaaaaa.1@example.com'
    const service = await startStandIn({
      failureOf: (method, path) => {
        if (isDelete(method)) return { isDone: false, status: 500 }
        return path.startsWith('/users/usr_')
          ? {
              isDone: false,
              status: 200,
              text: JSON.stringify({ id: path.slice('/users/'.length), email, status: 'canceled' }),
            }
          : undefined
      },
    })
    const report = await ask(service, { keys: ['createStatus'], random: () => 0 })
    expect(report.leftBehind).toEqual([expect.stringMatching(/^User 'usr_\d+' was not deleted: /)])
  })

  it('reports a user that a successful deletion did not delete', async () => {
    const text = '{}'
    const service = await startStandIn({
      failureOf: (method) => (isDelete(method) ? { isDone: false, status: 200, text } : undefined),
    })
    const { leftBehind } = await ask(service, { keys: ['createStatus'] })
    expect(leftBehind).toEqual([
      expect.stringMatching(/^User 'usr_\d+' was not deleted: DELETE \S+ returned 200 without an effect\.$/),
    ])
  })

  it('deletes a user that appears late, after a create that failed', async () => {
    let time = 0
    const service = await startStandIn({
      failureOf: (method, path) => {
        if (isCreateUser(method, path)) return { isDone: true, status: 500 }
        return isSearch(path) && time < 3000 ? { isDone: false, status: 200, text: '{"items":[]}' } : undefined
      },
    })
    const report = await ask(service, {
      keys: ['createStatus'],
      wait: async (milliseconds) => void (time += milliseconds),
    })
    expect(report.leftBehind).toEqual([])
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('finds a user whose create returned another id, and leaves the user with that id unchanged', async () => {
    const service: StandIn = await startStandIn({
      failureOf: (method, path) =>
        isCreateUser(method, path)
          ? {
              isDone: true,
              status: 201,
              text: '{"id":"usr_000001","email":"paylink-mock-calibrate+aaaaaaaaaa.1@example.com"}',
            }
          : undefined,
    })
    const report = await ask(service, { keys: ['metadataUpdate', 'deletedCursor'], random: () => 0 })
    expect(service.seen.filter((line) => /PATCH|DELETE/.test(line) && line.endsWith('usr_000001'))).toEqual([])
    expect(report.leftBehind).toEqual([])
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('leaves a link alone that a create has updated in place', async () => {
    const service: StandIn = await startStandIn({
      others: 1,
      failureOf: (method, path) => {
        const link = [...service.links.values()].at(-1)!
        if (!isCreateLink(method, path)) return undefined
        link.partner.redirectUrl = 'https://example.com/paylink-mock-calibrate/aaaaaaaaaa'
        return { isDone: false, status: 200, text: JSON.stringify(link) }
      },
    })
    const report = await ask(service, { keys: ['payerFields', 'cancelInactive'], random: () => 0 })
    expect(service.seen.filter((line) => line.endsWith('/cancel'))).toEqual([])
    expect(report.canceled).toEqual([])
    expect(report.leftBehind[0]).toMatch(/^A payment link for 'inv_2025_0001' may still exist: /)
  })

  it('recognizes an inactive link whose cancel failed', async () => {
    const service = await startStandIn({
      failureOf: (method, path) => (isCancel(method, path) ? { isDone: true, status: 500 } : undefined),
    })
    const report = await ask(service, { keys: ['payerFields'] })
    expect(report).toMatchObject({ leftBehind: [], canceled: [expect.stringMatching(/^pml_/)] })
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('reports a user that still exists after a 404 for its deletion', async () => {
    const service = await startStandIn({
      failureOf: (method) => (isDelete(method) ? { isDone: false, status: 404 } : undefined),
    })
    const report = await ask(service, { keys: ['createStatus'] })
    expect(service.leftBehind()).toEqual({ ...nothing, users: 1 })
    expect(report.leftBehind).toEqual([
      expect.stringMatching(/^User 'usr_\d+' was not deleted: DELETE \S+ returned 404\.$/),
    ])
  })
})
