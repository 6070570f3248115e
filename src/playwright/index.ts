import type { Fixtures, Page, TestInfo, TestType } from '@playwright/test'
import { connect } from '../client/connect.ts'
import type { Control, ProjectControl } from '../client/control.ts'
import { projectIdFor, formatProject, serviceUrlOf } from '../client/test-helpers.ts'
import { createMock, type Mock } from '../node/index.ts'
import type { MockOptions } from '../schema/options.ts'
import { type PaymentPage, paymentPageIn } from './payment-page.ts'

export type { PaymentPage } from './payment-page.ts'

/** The address of a running mock, for an application that is configured with it. */
export interface RunningMock {
  readonly url: string
  readonly adminToken?: string | undefined
  /** The base path of the mocked API. @default '' */
  readonly basePath?: string | undefined
}

/** The fixtures of a test. */
export interface PaylinkTestFixtures {
  /** A project for this test alone. Its requests and records are printed and attached if the test fails. */
  readonly project: ProjectControl
  /** The payment page, in the `page` of the test. */
  readonly paymentPage: PaymentPage
}

/** The fixtures that all tests of a worker share. */
export interface PaylinkWorkerFixtures {
  readonly mock: Control
  /** The address of the mock with its base path: the base URL of the service for the application. */
  readonly serviceUrl: string
}

/**
 * Extends a Playwright `test` with a mock for each worker, a project for each test and a page object for the payment page.
 *
 * @param base the `test` to extend
 * @param where the options of a new mock, or the address of a running one
 * @default a new mock with default options
 * @returns a `test` with the fixtures `mock`, `serviceUrl`, `project` and `paymentPage`
 * @throws `invalidOptions` in the fixture `mock`, for invalid options
 * @example
 * const test = paylinkTest(base, { clock: '2025-01-01T00:00:00Z' })
 */
export const paylinkTest = <T extends { readonly page: Page }, W extends object>(
  base: TestType<T, W>,
  where: MockOptions | RunningMock = {},
): TestType<T & PaylinkTestFixtures, W & PaylinkWorkerFixtures> =>
  base.extend<PaylinkTestFixtures, PaylinkWorkerFixtures>(fixtures(where))

const fixtures = (
  where: MockOptions | RunningMock,
): Fixtures<PaylinkTestFixtures, PaylinkWorkerFixtures, { page: Page }, object> => ({
  mock: [
    // Playwright reads the dependencies of a fixture from this pattern.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      if ('url' in where) return use(connect(where.url, { adminToken: where.adminToken }))
      await using mock = createMock(where)
      await use(mock)
    },
    { scope: 'worker' },
  ],
  // Always started: a payment URL needs an address.
  serviceUrl: [
    async ({ mock }, use) => {
      const { url } = 'url' in where ? where : await (mock as Mock).listen()
      await use(serviceUrlOf(url, where.basePath))
    },
    { scope: 'worker', auto: true },
  ],
  project: async ({ mock }, use, testInfo) => {
    const project = mock.project(projectIdFor(...namesOf(testInfo)))
    // An earlier run or try may have left data.
    if ('url' in where || testInfo.retry > 0) await project.reset()
    await use(project)
    if (testInfo.status !== testInfo.expectedStatus) await report(project, testInfo)
  },
  paymentPage: ({ page }, use) => use(paymentPageIn(page)),
})

const namesOf = ({ project, titlePath, repeatEachIndex }: TestInfo): string[] => [
  project.name,
  String(repeatEachIndex),
  ...titlePath,
]

const report = async (project: ProjectControl, testInfo: TestInfo): Promise<void> => {
  const body = await formatProject(project)
  console.error(body)
  await testInfo.attach('paylink-mock', { body, contentType: 'text/plain' })
}
