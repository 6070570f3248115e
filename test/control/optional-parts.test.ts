/** The optional parts of bodies: each alone, each pair, and none. `optional-fields` has those of records and of faults. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMock, type Effect, type MockOptions, type ProjectControl } from '../../src/node/index.ts'
import { BehaviorChoices, behaviorRegistry } from '../../src/schema/behavior.ts'
import { ClockDocument } from '../../src/schema/clock-document.ts'
import type { Command } from '../../src/schema/command-definition.ts'
import { commands } from '../../src/schema/command.ts'
import { Effect as EffectSchema } from '../../src/schema/fault.ts'
import { FaultRule, HeldCheck, Release } from '../../src/schema/fault.ts'
import { PaymentLinkRecordsQuery, JournalQuery, UserRecordsQuery } from '../../src/schema/list.ts'
import { Matcher } from '../../src/schema/matcher.ts'
import { PaymentLinkPatch, PaymentLinkSeed, Payment } from '../../src/schema/payment-link.ts'
import { Generate, ProjectDocument, ProjectPatch, Seed, SeedPatch } from '../../src/schema/seed.ts'
import { ProjectChange } from '../../src/schema/summaries.ts'
import { Token } from '../../src/schema/seed.ts'
import { UserPatch, UserSeed } from '../../src/schema/user.ts'
import { Times, Verification } from '../../src/schema/verification.ts'
import { noon } from '../support/api.ts'
import { closeSearched } from '../support/canary.ts'
import { ask } from '../support/control.ts'
import { reach } from '../support/reach.ts'
import { pick, subsetsOf } from '../support/subsets.ts'

const start = (options: MockOptions = {}) => {
  const mock = createMock({ clock: noon, ...options })
  closeSearched(mock)
  return mock
}
const minute = 60_000

const afterNoon = (minutes: number) => new Date(Date.parse(noon) + minutes * minute).toISOString()

/** A schema, as far as these tests read it. */
interface Schema {
  readonly _zod: { readonly optin?: string | undefined; readonly def: Record<string, any> }
}

/** The objects with optional fields in a schema. */
const listOptionalShapes = (schema: Schema, seen = new Set<unknown>()): Record<string, Schema>[] => {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { shape, innerType, element, options = [], valueType, in: input, out } = schema._zod.def
  const parts = [innerType, element, ...options, valueType, input, out, ...Object.values(shape ?? {})]
  const inner = parts.filter(Boolean).flatMap((part: Schema) => listOptionalShapes(part, seen))
  const isOptional = Object.values<Schema>(shape ?? {}).some(({ _zod }) => _zod.optin === 'optional')
  return isOptional ? [shape, ...inner] : inner
}

/** Expects each part to decide its own view, whatever else is given: the view of one alone is that of each pair. */
const expectIndependence = async (
  shape: object,
  values: Readonly<Record<string, unknown>>,
  views: Readonly<Record<string, (seen: any) => unknown>>,
  observe: (given: object) => Promise<unknown>,
) => {
  const viewsOf = (seen: unknown) => Object.fromEntries(Object.entries(views).map(([name, view]) => [name, view(seen)]))
  const none = viewsOf(await observe({}))
  const alone: Record<string, Record<string, unknown>> = {}
  for (const names of subsetsOf(shape, values)) {
    const seen = viewsOf(await observe(pick(values, names)))
    const [first = ''] = names
    if (names.length === 1) {
      alone[first] = seen
      // A value that changes nothing would show nothing.
      if (first in views) expect(seen[first], first).not.toEqual(none[first])
    }
    const wanted = Object.fromEntries(
      Object.keys(views).map((name) => [name, names.includes(name) ? alone[name]![name] : none[name]]),
    )
    expect(seen, names.join()).toEqual(wanted)
  }
}

describe('the parts of an effect', () => {
  const values = {
    delay: { milliseconds: 77 },
    hold: true,
    status: 503,
    headers: { 'x-own': 'yes' },
    body: { own: 'body' },
    connection: 'close',
    corrupt: 'malformed',
    rateLimit: { limit: 0, window: 1000 },
    stale: { changes: 1 },
    duplicate: true,
    evolve: ['fields'],
  } as const satisfies Effect

  /** The pairs that contradict each other. */
  const contradictions = new Set([
    'status,connection',
    'connection,corrupt',
    'status,rateLimit',
    'connection,rateLimit',
    'corrupt,rateLimit',
    'delay,hold',
    'hold,rateLimit',
    'status,stale',
    'rateLimit,stale',
    'stale,duplicate',
    'status,duplicate',
    'rateLimit,duplicate',
    'status,evolve',
    'corrupt,evolve',
    'rateLimit,evolve',
  ])
  const isRejected = (names: readonly string[]) =>
    names.length === 0 ||
    contradictions.has(names.join()) ||
    (!names.includes('status') && (names.includes('headers') || names.includes('body')))

  /** What a client and a test see of a request to which the effect applies. */
  const observe = async (effect: Effect) => {
    const mock = start()
    const acme = mock.project('acme')
    await acme.users.create({ email: 'ada@example.com' })
    const fault = await acme.faults.add({ effect })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    // A list can be stale, and a create shows a second delivery.
    const [method, body] = effect.stale ? ['GET'] : ['POST', { email: 'grace@example.com' }]
    const init = {
      method: method,
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }
    let isOver = false
    const responding = Promise.resolve(mock.fetch('/projects/acme/users', init)).then(
      async (response) => ({ status: response.status, headers: response.headers, text: await response.text() }),
      () => 'closed' as const,
    )
    const watched = responding.finally(() => (isOver = true))
    const getHeld = async () => (await fault.refresh()).held ?? 0
    await reach(
      'a response, a held request or a timer',
      async () => isOver || vi.getTimerCount() > 0 || (await getHeld()) > 0,
    )
    const held = await getHeld()
    if (held > 0) await fault.release()
    const waited = vi.getTimerCount() > 0 ? 77 : 0
    if (waited > 0) {
      await vi.advanceTimersByTimeAsync(waited - 1)
      expect([isOver, vi.getTimerCount()]).toEqual([false, 1])
      await vi.advanceTimersByTimeAsync(1)
    }
    const response = await watched
    vi.useRealTimers()
    return { response, held, waited, users: (await acme.summary()).users, hits: (await fault.refresh()).hits }
  }

  const listShown = (text: string): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return 'malformed'
    }
  }

  it('have their effect alone and in pairs, unless they contradict each other', async () => {
    for (const names of subsetsOf(EffectSchema.shape, values)) {
      const effect = pick(values, names) as Effect
      const has = (name: string) => names.includes(name)
      if (isRejected(names)) {
        await expect(start().faults.add({ effect }), names.join()).rejects.toMatchObject({ code: 'invalidBody' })
        continue
      }
      const { response, held, waited, users, hits } = await observe(effect)
      const runs = has('status') || has('rateLimit') || has('connection') ? 0 : 1
      expect({ held, waited, hits }, names.join()).toEqual({
        held: has('hold') ? 1 : 0,
        waited: has('delay') ? 77 : 0,
        hits: 1,
      })
      expect(users, names.join()).toBe(1 + (has('stale') ? 0 : has('duplicate') ? 2 : runs))
      if (has('connection')) {
        expect(response, names.join()).toBe('closed')
        continue
      }
      if (response === 'closed') return expect.unreachable(names.join())
      const body = listShown(response.text)
      const status = has('status') ? 503 : has('rateLimit') ? 429 : has('stale') ? 200 : 201
      expect(response.status, names.join()).toBe(status)
      expect(response.headers.get('x-own'), names.join()).toBe(has('headers') ? 'yes' : null)
      if (has('corrupt')) expect(body, names.join()).toBe('malformed')
      else if (has('body')) expect(body, names.join()).toEqual({ own: 'body' })
      else {
        const object = has('stale') ? 'list' : status < 300 ? 'user' : 'error'
        expect(body, names.join()).toMatchObject({ object, ...(has('stale') && { items: [] }) })
        expect('addedField' in (body as object), names.join()).toBe(has('evolve'))
      }
    }
  })

  it('of a delay, a stale read and a rate limit are accepted alone, in pairs and not at all as their rules say', async () => {
    const { delay, stale } = EffectSchema.shape
    const [delayShape] = listOptionalShapes(delay) as [object]
    for (const names of subsetsOf(delayShape, { jitter: 5 }, ['milliseconds'])) {
      const given = { milliseconds: 0, ...pick({ jitter: 5 }, names) }
      expect((await start().faults.add({ effect: { delay: given } })).effect).toEqual({ delay: given })
    }
    const [staleShape] = listOptionalShapes(stale) as [object]
    const times = { changes: 1, milliseconds: minute }
    for (const names of subsetsOf(staleShape, times)) {
      const mock = start()
      const acme = mock.project('acme')
      const adding = acme.faults.add({ effect: { stale: pick(times, names) } })
      if (names.length !== 1) {
        await expect(adding, names.join()).rejects.toMatchObject({ code: 'invalidBody' })
        continue
      }
      await acme.users.create({ email: 'ada@example.com' })
      // An hour later, one change ago is before the creation, and one minute ago is after it.
      await acme.clock.advance(60 * minute)
      await adding
      const { body } = await ask(mock, '/projects/acme/users')
      expect(body.items, names.join()).toHaveLength(names[0] === 'changes' ? 0 : 1)
    }
  })
})

describe('the parts of a document', () => {
  const users = [{ id: 'usr_1', email: 'ada@example.com' }]
  const clock = { mode: 'frozen', now: '2031-01-01T00:00:00.000Z' } as const
  const project = {
    preferredLocale: 'de-AT',
    invoices: ['inv_9'],
    users,
    paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }],
    generate: { users: 2 },
    idSeed: 'other',
    behaviors: { createStatus: 200 },
    clock,
    scheduledPayments: [{ paymentLink: 'pml_0', outcome: 'succeeded', when: { reads: 3 } }],
    progress: { counters: { draws: 4 } },
  } as const

  /** What an exported document says of each part. */
  const views: Readonly<Record<string, (seen: any) => unknown>> = {
    preferredLocale: (seen) => seen.preferredLocale,
    invoices: (seen) => (seen.invoices ?? []).includes('inv_9'),
    users: (seen) => seen.users.some(({ id }: { id: string }) => id === 'usr_1'),
    paymentLinks: (seen) => seen.paymentLinks.some(({ id }: { id: string }) => id === 'pml_1'),
    generate: (seen) => seen.users.filter(({ id }: { id: string }) => id !== 'usr_1').length,
    idSeed: (seen) => seen.idSeed,
    behaviors: (seen) => seen.behaviors,
    clock: (seen) => seen.clock,
    scheduledPayments: (seen) => seen.scheduledPayments,
    progress: (seen) => seen.progress?.counters?.draws ?? 0,
  }

  it('of a project have their effect alone and in pairs', async () => {
    const { scheduledPayments: _, ...rest } = views
    await expectIndependence(ProjectDocument.shape, project, rest, async (given) => {
      const acme = start().project('acme')
      // A payment needs its link.
      const links = [...('paymentLinks' in given ? project.paymentLinks : []), { id: 'pml_0', invoice: 'inv_0' }]
      const document = 'scheduledPayments' in given ? { ...given, paymentLinks: links } : given
      await acme.state.put(document)
      expect(await acme.scheduledPayments.list()).toHaveLength('scheduledPayments' in given ? 1 : 0)
      return acme.state.get()
    })
  })

  it('of a patch of a project have their effect alone and in pairs', async () => {
    const { generate: _g, idSeed: _i, scheduledPayments: _s, progress: _p, ...values } = project
    const { generate: _gv, idSeed: _iv, scheduledPayments: _sv, progress: _pv, ...rest } = views
    await expectIndependence(ProjectPatch.shape, values, rest, async (given) => {
      const acme = start().project('acme')
      await acme.users.create({ id: 'usr_0', email: 'eve@example.com' })
      await acme.state.patch(given)
      const state = await acme.state.get()
      expect(state.users!.some(({ id }) => id === 'usr_0')).toBe(true)
      return state
    })
  })

  const mockParts = {
    $schema: './seed.schema.json',
    idSeed: 'other',
    clock,
    behaviors: { createStatus: 200 },
    tokens: [{ token: 'canary-t' }],
    template: { preferredLocale: 'fr' },
    projects: { 'b & c': { users } },
    progress: { draws: { later: 3 } },
  } as const
  const mockViews: Readonly<Record<string, (seen: any) => unknown>> = {
    idSeed: (seen) => seen.idSeed,
    clock: (seen) => seen.clock,
    behaviors: (seen) => seen.behaviors,
    tokens: (seen) => seen.tokens,
    template: (seen) => seen.template,
    projects: (seen) => Object.keys(seen.projects),
    progress: (seen) => seen.progress,
  }

  it('of a mock have their effect alone and in pairs, as a state and as a seed', async () => {
    const observe = async (mock: ReturnType<typeof start>) => {
      const { tokens: _, ...state } = await mock.state.get()
      return { ...state, tokens: (await mock.tokens.get()).length }
    }
    // The tokens of a state are those of the start.
    const { tokens: _, ...rest } = mockViews
    await expectIndependence(Seed.shape, mockParts, rest, async (given) => {
      const mock = start()
      await mock.state.put(given)
      return observe(mock)
    })
    await expectIndependence(Seed.shape, mockParts, mockViews, async (given) => {
      const mock = createMock({ now: () => Date.parse(noon), seed: given })
      closeSearched(mock)
      return observe(mock)
    })
  })

  it('of a patch of a mock have their effect alone and in pairs', async () => {
    const { idSeed: _i, tokens: _t, progress: _p, ...values } = mockParts
    const { idSeed: _iv, tokens: _tv, progress: _pv, ...rest } = mockViews
    await expectIndependence(SeedPatch.shape, values, rest, async (given) => {
      const mock = start()
      await mock.state.patch(given)
      return mock.state.get()
    })
  })

  it('of generated records are counted alone and in pairs', async () => {
    const counts = { active: 1, completed: 2, canceled: 3 }
    const [, linkShape] = listOptionalShapes(Generate) as [object, object]
    for (const names of subsetsOf(linkShape, counts))
      for (const users of [{}, { users: 4 }]) {
        const acme = start().project('acme')
        const paymentLinks = pick(counts, names) as Partial<typeof counts>
        await acme.state.put({ generate: { ...users, paymentLinks } })
        const { items } = await acme.paymentLinks.list()
        for (const [status, count] of Object.entries(counts))
          expect(items.filter((link) => link.status === status)).toHaveLength(names.includes(status) ? count : 0)
        expect((await acme.users.list()).items).toHaveLength(Object.keys(users).length * 4)
      }
  })

  it('of its progress are kept alone and in pairs', async () => {
    const [progressShape, countersShape, deletedShape] = listOptionalShapes(ProjectDocument.shape.progress) as object[]
    const createdAt = '2020-01-01T00:00:00.000Z'
    const counters = { usr: 7, pml: 8, draws: 9 }
    const deleted = {
      users: [{ id: 'usr_gone', createdAt, index: 0 }],
      paymentLinks: [{ id: 'pml_gone', createdAt, index: 0 }],
    }
    const put = async (progress: object) => {
      const acme = start().project('acme')
      await acme.state.put({ progress })
      return (await acme.state.get()).progress
    }
    for (const names of subsetsOf(countersShape!, counters)) {
      const given = pick(counters, names)
      const kept = (await put({ counters: given }))?.counters ?? {}
      expect(kept, names.join()).toEqual({ usr: 0, pml: 0, ...given })
    }
    for (const names of subsetsOf(deletedShape!, deleted)) {
      const given = pick(deleted, names)
      expect((await put({ deleted: given }))?.deleted ?? {}, names.join()).toEqual(given)
    }
    for (const names of subsetsOf(progressShape!, { counters, deleted })) {
      const given = pick({ counters, deleted }, names)
      expect(await put(given), names.join()).toEqual({ counters: { usr: 0, pml: 0 }, ...given })
    }
  })

  it('of a token decide alone and in pairs what it is valid for', async () => {
    const values = { projects: ['acme'], expiresAt: afterNoon(1) }
    for (const names of subsetsOf(Token.shape, values, ['token'])) {
      const mock = start()
      await mock.tokens.replace([{ token: 'canary-t', ...pick(values, names) }])
      const call = async (project: string) =>
        (await mock.fetch(`/projects/${project}/users`, { headers: { authorization: 'Bearer canary-t' } })).status
      expect([await call('acme'), await call('other')], names.join()).toEqual([
        200,
        names.includes('projects') ? 403 : 200,
      ])
      await mock.clock.advance(minute)
      expect(await call('acme'), names.join()).toBe(names.includes('expiresAt') ? 401 : 200)
    }
  })

  it('of the behaviors have their effect alone and in pairs', async () => {
    const other = Object.fromEntries(
      Object.entries(behaviorRegistry).map(
        ([
          key,
          {
            values: [, second],
          },
        ]) => [key, second],
      ),
    ) as Required<BehaviorChoices>
    const { values: defaults } = await start().behaviors.get()
    for (const names of subsetsOf(listOptionalShapes(BehaviorChoices)[0]!, other)) {
      const given = pick(other, names)
      const { values } = await start().project('acme').behaviors.set(given)
      expect(values, names.join()).toEqual({ ...defaults, ...given })
    }
  })
})

describe('the parts of other bodies', () => {
  const [realShape, frozenShape, steppingShape] = listOptionalShapes(ClockDocument) as [object, object, object]
  const now = '2031-01-01T00:00:00.000Z'

  it.each<[string, object, Record<string, unknown>]>([
    ['real', realShape, { offset: 90_000 }],
    ['frozen', frozenShape, { now }],
    ['stepping', steppingShape, { now, step: 5 }],
  ])('of a %s clock have their effect alone and in pairs', async (mode, shape, values) => {
    for (const names of subsetsOf(shape, values, ['mode'])) {
      const mock = createMock({ now: () => Date.parse(noon), clock: { mode: 'real' } })
      closeSearched(mock)
      const given = pick(values, names)
      for (const clock of [mock.project('acme').clock, mock.clock]) {
        const status = await clock.set({ mode, ...given } as ClockDocument)
        const time = new Date(Date.parse(noon) + ('offset' in given ? 90_000 : 0)).toISOString()
        expect(status, names.join()).toEqual({
          mode,
          now: 'now' in given ? now : time,
          ...(mode === 'stepping' && { step: 'step' in given ? 5 : 1000 }),
        })
      }
    }
  })

  const pay = async (acme: ProjectControl, payment: object) => {
    const { id } = await acme.paymentLinks.create({ invoice: 'inv_1' })
    const result = await acme.paymentLinks.pay(id, payment as { outcome?: 'failed' })
    const { status } = await acme.paymentLinks.get(id)
    return { id, result, status, waiting: await acme.scheduledPayments.list() }
  }

  it.each([
    [{ reads: 2 }, { reads: 2 }],
    [{ at: afterNoon(3) }, { at: afterNoon(3) }],
    [{ in: 3 * minute }, { at: afterNoon(3) }],
  ])('of a payment at %j have their effect alone and in pairs', async (when, stored) => {
    const values = { outcome: 'failed', when }
    for (const names of subsetsOf(Payment.shape, values)) {
      const acme = start().project('acme')
      const { id, result, status, waiting } = await pay(acme, pick(values, names))
      const outcome = names.includes('outcome') ? 'failed' : 'succeeded'
      const isLater = names.includes('when')
      const payment = { paymentLink: id, outcome, when: stored }
      expect(waiting, names.join()).toEqual(isLater ? [payment] : [])
      expect(status, names.join()).toBe(isLater || outcome === 'failed' ? 'active' : 'completed')
      expect(result, names.join()).toMatchObject(isLater ? payment : { id, status })
    }
    // Without a body, the payment is one now.
    expect((await pay(start().project('acme'), {})).status).toBe('completed')
  })

  it('of a release have their effect alone and not at all', async () => {
    const [shape] = listOptionalShapes(Release) as [object]
    for (const names of subsetsOf(shape, { count: 1 })) {
      const mock = start()
      const fault = await mock.faults.add({ effect: { hold: true }, times: null })
      const waiting = [1, 2].map(() => ask(mock, '/projects/acme/users'))
      await fault.waitForHeld(2)
      const { count } = pick({ count: 1 }, names) as { count?: number }
      expect((await fault.release(count)).held, names.join()).toBe(count === undefined ? 0 : 1)
      await fault.release()
      for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
    }
  })

  it('of a wait for held requests have their effect alone and in pairs', async () => {
    const [shape] = listOptionalShapes(HeldCheck) as [object]
    const values = { held: 2, within: 1 }
    for (const names of subsetsOf(shape, values)) {
      const mock = start()
      const fault = await mock.faults.add({ effect: { hold: true }, times: null })
      const given = pick(values, names)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const wait = () =>
        mock.fetch(`/__admin/faults/${fault.id}/wait`, {
          method: 'POST',
          body: JSON.stringify(given),
          headers: { 'content-type': 'application/json' },
        })
      // One request is enough by default.
      const first = ask(mock, '/projects/acme/users')
      await reach('a held request', async () => (await fault.refresh()).held === 1)
      let isOver = false
      const early = wait().then(({ status }) => ((isOver = true), status))
      if ('held' in given) {
        await reach('a timer', () => vi.getTimerCount() > 0)
        const limit = 'within' in given ? 1 : 2000
        await vi.advanceTimersByTimeAsync(limit - 1)
        expect([isOver, vi.getTimerCount()], names.join()).toEqual([false, 1])
        await vi.advanceTimersByTimeAsync(1)
      }
      expect(await early, names.join()).toBe('held' in given ? 409 : 200)
      const second = ask(mock, '/projects/acme/users')
      await reach('a second held request', async () => (await fault.refresh()).held === 2)
      expect((await wait()).status, names.join()).toBe(200)
      vi.useRealTimers()
      await fault.release()
      await Promise.all([first, second])
    }
  })

  it('of a verification are accepted alone and in pairs as their rules say', async () => {
    const match = { operation: 'listUsers' } as const
    const values = { match, times: 1, sequence: [match], within: 0 }
    const isValid = (names: readonly string[]) =>
      names.includes('match') !== names.includes('sequence') && !(names.includes('sequence') && names.includes('times'))
    for (const names of subsetsOf(Verification.shape, values)) {
      const mock = start()
      await ask(mock, '/projects/acme/users')
      const verifying = mock.requests.verify(pick(values, names))
      if (isValid(names)) expect(await verifying, names.join()).toMatchObject({ ok: true, actual: 1 })
      else await expect(verifying, names.join()).rejects.toMatchObject({ code: 'invalidBody' })
    }
    const counts = { exactly: 1, atLeast: 1, atMost: 2 }
    for (const names of subsetsOf(Times.shape, counts)) {
      const times = pick(counts, names)
      for (const count of [0, 1, 2, 3]) {
        const mock = start()
        for (let i = 0; i < count; i++) await ask(mock, '/projects/acme/users')
        const outcome = await mock.requests.verify({ match, times }).then(
          () => 'ok',
          ({ code }: { code: string }) => code,
        )
        const isMet =
          (!names.includes('exactly') || count === 1) &&
          (!names.includes('atLeast') || count >= 1) &&
          (!names.includes('atMost') || count <= 2)
        const isInvalid = names.length === 0 || (names.length === 2 && names.includes('exactly'))
        expect(outcome, `${names.join()} ${count}`).toBe(
          isInvalid ? 'invalidBody' : isMet ? 'ok' : 'verificationFailed',
        )
      }
    }
  })

  it('of a project have their effect alone and not at all', async () => {
    for (const names of subsetsOf(ProjectChange.shape, { preferredLocale: 'de' })) {
      const given = pick({ preferredLocale: 'de' }, names)
      const acme = start().project('acme')
      const { preferredLocale } = await acme.summary()
      expect((await acme.patch(given)).preferredLocale).toBe(given['preferredLocale'] ?? preferredLocale)
    }
  })
})

const keysOf = (shape: object) => Object.keys(shape).toSorted().join()

it('each object with optional fields that a command accepts is in these tests or in those of fields', () => {
  const inFields = [UserSeed, UserPatch, PaymentLinkSeed, PaymentLinkPatch, FaultRule, Matcher]
  const lists = [UserRecordsQuery, PaymentLinkRecordsQuery, JournalQuery]
  const here = [Seed, SeedPatch, ProjectPatch, EffectSchema, Token, BehaviorChoices, ClockDocument, Payment]
  const tried = [...inFields, ...lists, ...here, Generate, Release, HeldCheck, Verification, Times, ProjectChange]
  const known = new Set(tried.flatMap((schema) => listOptionalShapes(schema)).map(keysOf))
  const given = Object.entries<Command>(commands).flatMap(([id, { body, bodyForAll, query }]) =>
    [body, bodyForAll, query].flatMap((schema) =>
      schema === undefined ? [] : listOptionalShapes(schema).map((shape) => `${id}: ${keysOf(shape)}`),
    ),
  )
  expect(given.length).toBeGreaterThan(30)
  // The form of a text, which its own tests try.
  const texts = ['readCoverage: format', 'report: format']
  expect(given.filter((one) => !known.has(one.split(': ')[1]!)).toSorted()).toEqual(texts)
})
