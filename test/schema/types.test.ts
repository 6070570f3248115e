import type * as z from 'zod/mini'
import { expectTypeOf, it } from 'vitest'
import type { FaultPlace } from '../../src/extensions/explore/schedule-text.ts'
import type { BehaviorSettings, Profile } from '../../src/schema/behavior.ts'
import type { ClockDocument, ClockStatus } from '../../src/schema/clock-document.ts'
import type { Effect } from '../../src/schema/fault.ts'
import type { Fault, FaultRule } from '../../src/schema/fault.ts'
import type { Method } from '../../src/schema/operation-routes.ts'
import type {
  PaymentLinkPatch,
  PaymentLinkSeed,
  PaymentLinkView,
  Payment,
  ScheduledPayment,
} from '../../src/schema/payment-link.ts'
import type { ProjectDocument, ProjectPatch, Seed, SeedPatch } from '../../src/schema/seed.ts'
import type { ProjectSummary, SandboxSummary, Snapshot } from '../../src/schema/summaries.ts'
import type { Token } from '../../src/schema/seed.ts'
import type { Assumption, MockEvent, RecordedRequests, Violations } from '../../src/schema/recorded-request.ts'
import type { User, UserPatch, UserSeed } from '../../src/schema/user.ts'
import type { VerificationSuccess } from '../../src/schema/verification.ts'

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
