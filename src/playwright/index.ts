import type { Fixtures, Page, TestInfo, TestType } from '@playwright/test'
import { connect } from '../client/connect.ts'
import type { Control, ProjectControl } from '../client/control.ts'
import { projectIdFor } from '../client/project-id.ts'
import { projectReport } from '../client/report.ts'
import { serviceUrlOf } from '../client/service-url.ts'
import { createMock, type Mock } from '../node/index.ts'
import type { MockOptions } from '../options.ts'
import { type PaymentPage, paymentPageIn } from './payment-page.ts'

export type { PaymentPage } from './payment-page.ts'

/** A mock that runs already, because the application under test is a process of its own and has its address. */
export interface RunningMock {
  readonly url: string
  readonly adminToken?: string | undefined
  /** What goes before the paths of the operations there. @default '' */
  readonly basePath?: string | undefined
}

/** What a test may ask for by name. */
export interface PaylinkTestFixtures {
  /** A project for this test alone. When the test fails its requests and rows are printed, and attached to the result. */
  readonly project: ProjectControl
  /** The payment page, in the `page` of the test. */
  readonly paymentPage: PaymentPage
}

/** What all tests of a worker share. */
export interface PaylinkWorkerFixtures {
  readonly mock: Control
  /** Where the mock listens, base path included: what the application takes for the address of the service. */
  readonly serviceUrl: string
}

/**
 * The `test` of `@playwright/test`, or one made from it, with a mock for the worker, a project for each test and a
 * page object for the payment page. `where` is what the mock is made from, or where one runs already.
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
    // Playwright reads from the pattern what is asked for.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      if ('url' in where) return use(connect(where.url, { adminToken: where.adminToken }))
      await using mock = createMock(where)
      await use(mock)
    },
    { scope: 'worker' },
  ],
  // Not only when it is asked for: a payment URL needs an address.
  serviceUrl: [
    async ({ mock }, use) => {
      const url = 'url' in where ? where.url : await listening(mock as Mock)
      await use(serviceUrlOf(url, where.basePath))
    },
    { scope: 'worker', auto: true },
  ],
  project: async ({ mock }, use, testInfo) => {
    const project = mock.project(projectIdFor(...namesOf(testInfo)))
    // What an earlier run, or an earlier try, has left there is no part of this test.
    if ('url' in where || testInfo.retry > 0) await project.reset()
    await use(project)
    if (testInfo.status !== testInfo.expectedStatus) await report(project, testInfo)
  },
  paymentPage: ({ page }, use) => use(paymentPageIn(page)),
})

const listening = async (mock: Mock): Promise<string> => (await mock.listen()).url

const namesOf = ({ project, titlePath, repeatEachIndex }: TestInfo): string[] => [
  project.name,
  String(repeatEachIndex),
  ...titlePath,
]

const report = async (project: ProjectControl, testInfo: TestInfo): Promise<void> => {
  const body = await projectReport(project)
  console.error(body)
  await testInfo.attach('paylink-mock', { body, contentType: 'text/plain' })
}
