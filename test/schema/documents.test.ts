import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import type { FaultPlace } from '../../src/explore/schedule-text.ts'
import type { BehaviorSettings, Profile } from '../../src/core/schema/behavior.ts'
import { behaviorKeys, BehaviorChoices, behaviorRegistry, parseBehaviorValue } from '../../src/core/schema/behavior.ts'
import type { ClockDocument, ClockStatus } from '../../src/core/schema/clock-document.ts'
import { documentation } from '../../src/core/schema/zod-helpers.ts'
import { errorDefinitions, MockError } from '../../src/core/schema/error.ts'
import type { Effect, Fault, FaultRule } from '../../src/core/schema/fault.ts'
import type { Method } from '../../src/core/schema/operation-routes.ts'
import type {
  PaymentLinkPatch,
  PaymentLinkSeed,
  PaymentLinkView,
  Payment,
  ScheduledPayment,
} from '../../src/core/schema/payment-link.ts'
import { parse } from '../../src/core/schema/problem.ts'
import { ProjectDocument, Seed, type ProjectPatch, type SeedPatch, type Token } from '../../src/core/schema/seed.ts'
import type { ProjectSummary, SandboxSummary, Snapshot } from '../../src/core/schema/summaries.ts'
import type { Assumption, MockEvent, RecordedRequests, Violations } from '../../src/core/schema/recorded-request.ts'
import type { User, UserPatch, UserSeed } from '../../src/core/schema/user.ts'
import type { VerificationSuccess } from '../../src/core/schema/verification.ts'
import type { Command } from '../../src/core/control/command.ts'
import { commands } from '../../src/core/control/commands.ts'
import { toDocumentSchema, toJsonSchema } from '../../src/core/openapi/json-schema.ts'
import { countDistinct } from '../support/read.ts'

type Json = { readonly [key: string]: unknown }

describe('the JSON schema', () => {
  it.each(Object.entries<Command>(commands))('of the command %s can be generated', (_, { query, body, response }) => {
    for (const schema of [query, body, response]) {
      if (schema === undefined) continue
      for (const io of ['input', 'output'] as const)
        expect(JSON.parse(JSON.stringify(toJsonSchema(schema, io)))).toEqual(toJsonSchema(schema, io))
      expect(toDocumentSchema(schema)).toHaveProperty('$schema')
    }
  })

  it.each([
    ['Seed', Seed],
    ['ProjectDocument', ProjectDocument],
  ])('of %s defines every field, and rejects others', (_, schema) => {
    for (const [path, part] of partsOf(toDocumentSchema(schema))) {
      expect([path, Object.keys(part).length > 0]).toEqual([path, true])
      if (part.properties !== undefined) expect([path, part.additionalProperties]).toEqual([path, false])
    }
  })

  it('of a seed allows any metadata and project names', () => {
    // The variants of a value share its path; the first one is the value itself.
    const parts = new Map([...partsOf(toDocumentSchema(Seed))].toReversed())
    expect(parts.get('.projects')?.additionalProperties).toMatchObject({ type: 'object' })
    expect(parts.get('.template.users[].metadata')).toMatchObject({ type: 'object', additionalProperties: true })
    expect(parts.get('.template.users[].createdAt')).toMatchObject({ type: 'string', format: 'date-time' })
    expect(parts.get('.template.users[].birthday')).toMatchObject({ anyOf: [{ format: 'date' }, { type: 'null' }] })
  })
})

describe("zod's global registry", () => {
  const add = vi.spyOn(z.globalRegistry, 'add')
  beforeAll(() => {
    vi.resetModules()
    add.mockClear()
  })
  afterAll(() => add.mockRestore())

  it('is not changed by the mock', async () => {
    const { createMock } = await import('../../src/node/index.ts')
    await import('../../src/index.ts')
    const mock = createMock({ seed: { projects: { acme: { users: [{ email: 'a@b' }] } } } })
    await mock.fetch('/openapi.json')
    await mock.state.put(await mock.state.get())
    expect(add).not.toHaveBeenCalled()
    expect(z.globalRegistry.get(Seed)).toBeUndefined()
    expect(documentation).not.toBe(z.globalRegistry)
  })

  it('is observable by this test', () => {
    z.string().describe('seen')
    expect(add).toHaveBeenCalledOnce()
  })
})

describe('the registry of behaviors', () => {
  it.each(behaviorKeys)('has a section, a summary, and values that differ as text: %s', (key) => {
    const { spec, values, summary } = behaviorRegistry[key]
    expect(spec).toMatch(/^§\d(?:\.\d)?$/)
    expect(summary).toMatch(/\.$/)
    expect(countDistinct(values.map(String))).toBe(values.length)
    for (const value of values) {
      expect(parseBehaviorValue(key, String(value))).toBe(value)
      expect(parse(BehaviorChoices, { [key]: value })).toEqual({ ok: true, value: { [key]: value } })
      expect(parse(BehaviorChoices, { [key]: String(value) })).toEqual({ ok: true, value: { [key]: value } })
    }
    for (const other of ['other', '', null, 7, {}, []]) expect(parse(BehaviorChoices, { [key]: other }).ok).toBe(false)
  })

  // Names and defaults are a promise.
  it('has these keys and values, the default first', () => {
    expect(behaviorKeys.map((key) => `${key}=${behaviorRegistry[key].values.join(',')}`)).toEqual([
      'createStatus=201,200',
      'invalidBodyStatus=422,400',
      'errorFormat=object,problem',
      'requestHeaders=lenient,required',
      'unknownFields=ignore,reject',
      'unknownProject=create,notFound',
      'wrongProjectToken=403,404,401',
      'cancelInactive=conflict,idempotent',
      'paymentLinkOrder=newestFirst,oldestFirst',
      'payerFields=optional,required',
      'searchMatch=ignoreCase,exact,contains',
      'searchWithoutEmail=all,none',
      'emailVerifiedOnCreate=true,false',
      'emailVerifiedOnChange=keep,reset',
      'duplicateEmail=allow,conflict',
      'metadataUpdate=merge,replace',
      'metadataLimits=none,strings',
      'deletedCursor=reject,resume,empty',
      'invoiceIds=any,prefix,seeded',
      'idempotencyKey=ignore,replay',
      'timestampPrecision=milliseconds,seconds',
      'listFreshness=immediate,delayed',
    ])
  })
})

describe('the table of errors', () => {
  const definitions = Object.entries(errorDefinitions)
  it.each(definitions)('has a status that fits the class of %s', (code, { status, type, summary }) => {
    const statuses = {
      unauthenticated: [401],
      permissionDenied: [403],
      notFound: [404],
      methodNotAllowed: [405],
      notAcceptable: [406],
      conflict: [409],
      tooLarge: [413],
      unsupportedMediaType: [415],
      invalidRequest: [400, 408, 417, 422, 431],
      rateLimited: [429],
      internal: [500, 501, 503],
    }
    expect(statuses[type]).toContain(status)
    expect(summary).toMatch(/^[A-Z].*\.$/)
    expect(new MockError(code as keyof typeof errorDefinitions, 'No.').toJSON()).toEqual({
      object: 'error',
      type,
      code,
      message: 'No.',
    })
  })
})
/** A type with nothing but its fields: interfaces, intersections and `readonly` make no difference. */
type Plain<T> = T extends object ? { -readonly [K in keyof T]: Plain<T[K]> } : T

// Users see interfaces, which need no zod. The compiler checks that they have the fields of the schemas.
it('the interfaces of the library are those of its schemas', () => {
  expectTypeOf<Plain<Assumption>>().toEqualTypeOf<Plain<z.output<typeof Assumption>>>()
  expectTypeOf<Plain<BehaviorSettings>>().toEqualTypeOf<Plain<z.output<typeof BehaviorSettings>>>()
  expectTypeOf<Plain<ClockDocument>>().toEqualTypeOf<Plain<z.output<typeof ClockDocument>>>()
  expectTypeOf<Plain<ClockStatus>>().toEqualTypeOf<Plain<z.output<typeof ClockStatus>>>()
  expectTypeOf<Plain<Effect>>().toEqualTypeOf<Plain<z.output<typeof Effect>>>()
  expectTypeOf<Plain<Fault>>().toEqualTypeOf<Plain<z.output<typeof Fault>>>()
  expectTypeOf<Plain<FaultRule>>().toEqualTypeOf<Plain<z.output<typeof FaultRule>>>()
  expectTypeOf<Plain<Method>>().toEqualTypeOf<Plain<z.output<typeof Method>>>()
  expectTypeOf<Plain<MockEvent>>().toEqualTypeOf<Plain<z.output<typeof MockEvent>>>()
  expectTypeOf<Plain<Payment>>().toEqualTypeOf<Plain<z.output<typeof Payment>>>()
  expectTypeOf<Plain<PaymentLinkPatch>>().toEqualTypeOf<Plain<z.output<typeof PaymentLinkPatch>>>()
  expectTypeOf<Plain<PaymentLinkSeed>>().toEqualTypeOf<Plain<z.output<typeof PaymentLinkSeed>>>()
  expectTypeOf<Plain<PaymentLinkView>>().toEqualTypeOf<Plain<z.output<typeof PaymentLinkView>>>()
  expectTypeOf<Plain<Profile>>().toEqualTypeOf<Plain<z.output<typeof Profile>>>()
  expectTypeOf<Plain<ProjectDocument>>().toEqualTypeOf<Plain<z.output<typeof ProjectDocument>>>()
  expectTypeOf<Plain<ProjectPatch>>().toEqualTypeOf<Plain<z.output<typeof ProjectPatch>>>()
  expectTypeOf<Plain<ProjectSummary>>().toEqualTypeOf<Plain<z.output<typeof ProjectSummary>>>()
  expectTypeOf<Plain<RecordedRequests>>().toEqualTypeOf<Plain<z.output<typeof RecordedRequests>>>()
  expectTypeOf<Plain<ScheduledPayment>>().toEqualTypeOf<Plain<z.output<typeof ScheduledPayment>>>()
  expectTypeOf<Plain<SandboxSummary>>().toEqualTypeOf<Plain<z.output<typeof SandboxSummary>>>()
  expectTypeOf<Plain<FaultPlace>>().toEqualTypeOf<Plain<z.output<typeof FaultPlace>>>()
  expectTypeOf<Plain<Seed>>().toEqualTypeOf<Plain<z.output<typeof Seed>>>()
  expectTypeOf<Plain<SeedPatch>>().toEqualTypeOf<Plain<z.output<typeof SeedPatch>>>()
  expectTypeOf<Plain<Snapshot>>().toEqualTypeOf<Plain<z.output<typeof Snapshot>>>()
  expectTypeOf<Plain<Token>>().toEqualTypeOf<Plain<z.output<typeof Token>>>()
  expectTypeOf<Plain<User>>().toEqualTypeOf<Plain<z.output<typeof User>>>()
  expectTypeOf<Plain<UserPatch>>().toEqualTypeOf<Plain<z.output<typeof UserPatch>>>()
  expectTypeOf<Plain<UserSeed>>().toEqualTypeOf<Plain<z.output<typeof UserSeed>>>()
  expectTypeOf<Plain<VerificationSuccess>>().toEqualTypeOf<Plain<z.output<typeof VerificationSuccess>>>()
  expectTypeOf<Plain<Violations>>().toEqualTypeOf<Plain<z.output<typeof Violations>>>()
})
/** Every part of a JSON schema that says what a value is, by its path. */
function* partsOf(schema: Json, path = ''): Generator<[string, Json]> {
  yield [path, schema]
  for (const [name, part] of Object.entries((schema.properties ?? {}) as Json))
    yield* partsOf(part as Json, `${path}.${name}`)
  if (schema.items !== undefined) yield* partsOf(schema.items as Json, `${path}[]`)
  if (typeof schema.additionalProperties === 'object') yield* partsOf(schema.additionalProperties as Json, `${path}.*`)
  for (const part of [...((schema.anyOf ?? []) as Json[]), ...((schema.oneOf ?? []) as Json[])])
    yield* partsOf(part, path)
}
