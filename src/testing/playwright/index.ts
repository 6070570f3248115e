import type { Fixtures, Page, TestInfo, TestType } from '@playwright/test'
import { connect } from '../../core/client/connect.ts'
import type { ProjectControl, Sandbox, ServerControl } from '../../core/client/control.ts'
import { type Isolation, projectIdFor, checkIsolation, getServiceUrl } from '../../core/client/test-helpers.ts'
import { warnOfUnusedFaults } from '../../core/client/fault-control.ts'
import { createMock, type Mock } from '../../node/index.ts'
import type { MockOptions } from '../../core/schema/mock-options.ts'
import { type PaymentPage, createPaymentPage } from './payment-page.ts'

export type { PaymentPage } from './payment-page.ts'

/** The address of a running mock, for an application that is configured with it. */
export interface RunningMock {
  /** The address, such as `http://127.0.0.1:4600`. */
  readonly url: string
  /** The bearer token of the control API, if it requires one. */
  readonly adminToken?: string | undefined
  /** The base path of the mocked API. @default '' */
  readonly basePath?: string | undefined
}

/** The fixtures of a test. */
export interface PaylinkTestFixtures {
  /**
   * A project for this test alone. Its requests and records are printed and attached if the test fails. A fault that never
   * applied is printed as a warning at the end of the test.
   */
  readonly project: ProjectControl
  /** The payment page, in the `page` of the test. */
  readonly paymentPage: PaymentPage
}

/** The fixtures of a test with `isolation: 'sandbox'`. */
export interface PaylinkSandboxFixtures {
  /** A sandbox for this test alone. A failed test prints its state like that of a project. */
  readonly sandbox: Sandbox
  /** The address of the sandbox with the base path: the base URL of the service for the application. */
  readonly serviceUrl: string
  /** The payment page, in the `page` of the test. */
  readonly paymentPage: PaymentPage
}

/** The fixtures that all tests of a worker share. */
export interface PaylinkWorkerFixtures {
  /** The mock, which all tests of a worker share. */
  readonly mock: ServerControl
  /** The address of the mock with its base path: the base URL of the service for the application. */
  readonly serviceUrl: string
}

type Where<I extends Isolation> = (MockOptions | RunningMock) & {
  /** Whether each test has a project or a sandbox of its own. @default 'project' */
  readonly isolation?: I | undefined
}
type TestFixtures<I extends Isolation> = I extends 'sandbox' ? PaylinkSandboxFixtures : PaylinkTestFixtures
type WorkerFixtures<I extends Isolation> = I extends 'sandbox'
  ? Pick<PaylinkWorkerFixtures, 'mock'>
  : PaylinkWorkerFixtures

/**
 * Extends a Playwright `test` with a mock for each worker, a project for each test and a page object for the payment page.
 *
 * @param base the `test` to extend
 * @param where the options of a new mock, or the address of a running one. `isolation: 'sandbox'` gives each test a sandbox
 *   instead of a project.
 * @default a new mock with default options
 * @returns a `test` with the fixtures `mock`, `serviceUrl`, `project` (or `sandbox`) and `paymentPage`
 * @throws `invalidOptions` for another isolation; in the fixture `mock`, for invalid options
 * @example
 * const test = paylinkTest(base, { clock: '2025-01-01T00:00:00Z' })
 */
export const paylinkTest = <T extends { readonly page: Page }, W extends object, I extends Isolation = 'project'>(
  base: TestType<T, W>,
  where: Where<I> = {},
): TestType<T & TestFixtures<I>, W & WorkerFixtures<I>> => {
  const { isolation = 'project', ...target } = where
  checkIsolation(isolation)
  const isolationFixtures = isolation === 'sandbox' ? createSandboxFixtures(target) : createProjectFixtures(target)
  // The compiler cannot see which fixtures the isolation selects.
  return base.extend({ ...createMockFixtures(target), ...isolationFixtures } as object) as never
}

type MockTarget = MockOptions | RunningMock

interface CommonFixtures {
  readonly mock: ServerControl
  readonly address: string
}

const createMockFixtures = (
  target: MockTarget,
): Fixtures<{ paymentPage: PaymentPage }, CommonFixtures, { page: Page }> => ({
  mock: [
    // Playwright reads the dependencies of a fixture from this pattern.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      if ('url' in target) return use(connect(target.url, { adminToken: target.adminToken }))
      await using mock = createMock(target)
      await use(mock)
    },
    { scope: 'worker' },
  ],
  // Starts even if no test uses it: payment URLs need an address.
  address: [
    async ({ mock }, use) => use('url' in target ? target.url : (await (mock as Mock).listen()).url),
    { scope: 'worker', auto: true },
  ],
  paymentPage: ({ page }, use) => use(createPaymentPage(page)),
})

const createProjectFixtures = (
  target: MockTarget,
): Fixtures<
  Pick<PaylinkTestFixtures, 'project'>,
  Pick<PaylinkWorkerFixtures, 'serviceUrl'>,
  object,
  CommonFixtures
> => ({
  serviceUrl: [({ address }, use) => use(getServiceUrl(address, target.basePath)), { scope: 'worker' }],
  project: ({ mock }, use, testInfo) => useIsolated(mock.project(createTestId(testInfo)), target, testInfo, use),
})

const createSandboxFixtures = (
  target: MockTarget,
): Fixtures<Pick<PaylinkSandboxFixtures, 'sandbox' | 'serviceUrl'>, object, object, CommonFixtures> => ({
  // The mock listens, so the sandbox has a URL.
  serviceUrl: ({ sandbox }, use) => use(getServiceUrl(sandbox.url!, target.basePath)),
  sandbox: ({ mock }, use, testInfo) => useIsolated(mock.sandbox(createTestId(testInfo)), target, testInfo, use),
})

const createTestId = ({ project, titlePath, repeatEachIndex }: TestInfo): string =>
  projectIdFor(project.name, String(repeatEachIndex), ...titlePath)

/** Runs a test with a project or sandbox of its own. An earlier run or try may have left data. */
const useIsolated = async <S extends ProjectControl | Sandbox>(
  scope: S,
  target: MockTarget,
  testInfo: TestInfo,
  use: (scope: S) => Promise<void>,
): Promise<void> => {
  if ('url' in target || testInfo.retry > 0) await ('dispose' in scope ? scope.dispose() : scope.reset())
  await use(scope)
  await warnOfUnusedFaults(scope)
  if (testInfo.status === testInfo.expectedStatus) return
  const report = await scope.report()
  console.error(report)
  await testInfo.attach('paylink-mock', { body: report, contentType: 'text/plain' })
}
