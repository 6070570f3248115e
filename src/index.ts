import { createCore } from './mock/core.ts'
import { buildMockWithoutSockets, type Mock } from './mock/mock.ts'
import { dashboard } from './pages/dashboard/dashboard-pages.ts'
import type { MockOptions } from './schema/mock-options.ts'

export * from './client/exports.ts'
export type { PaymentLinksQuery, UsersQuery } from './client/record-control.ts'
export type { Mock, MockSandbox, Server } from './mock/mock.ts'
export type { Profile } from './schema/behavior.ts'
export type { ListenOptions, LogEvent, MockOptions } from './schema/mock-options.ts'
export type { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkStatus } from './schema/payment-link.ts'
export type { Assumption, Change } from './schema/recorded-request.ts'
export type { UserPatch, UserSeed } from './schema/user.ts'
export type { NearMiss } from './schema/verification.ts'
export { version } from './schema/version.ts'

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
