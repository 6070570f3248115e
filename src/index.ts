import { createCore } from './core/mock/core.ts'
import { buildMockWithoutSockets, type Mock } from './core/mock/mock.ts'
import { dashboard } from './dashboard/dashboard-pages.ts'
import type { MockOptions } from './core/schema/mock-options.ts'

export * from './core/client/exports.ts'
export type { PaymentLinksQuery, UsersQuery } from './core/client/record-control.ts'
export type { Mock, MockSandbox, Server } from './core/mock/mock.ts'
export type { Profile } from './core/schema/behavior.ts'
export type { ListenOptions, LogEvent, MockOptions } from './core/schema/mock-options.ts'
export type { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkStatus } from './core/schema/payment-link.ts'
export type { Assumption, Change } from './core/schema/recorded-request.ts'
export type { UserPatch, UserSeed } from './core/schema/user.ts'
export type { NearMiss } from './core/schema/verification.ts'
export { version } from './core/schema/version.ts'

/**
 * Creates a mock in this process. It is cheap enough for one in every test, opens no socket until `listen` is called, and
 * changes no globals.
 *
 * @returns the mock; `await using` closes it with its servers
 * @throws MockError `invalidOptions`, with the problems of all options
 * @example
 * await using mock = createMock({ clock: 'frozen' })
 */
export const createMock = (options?: MockOptions): Mock => buildMockWithoutSockets(createCore(options, { dashboard }))
