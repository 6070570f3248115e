import { expect, test as base, type TestAPI, type TestContext } from 'vitest'
import { projectIdFor } from '../client/project-id.ts'
import { projectReport } from '../client/report.ts'
import type { ProjectControl } from '../client/control.ts'
import { serviceUrlOf } from '../client/service-url.ts'
import { matchers, type PaylinkMatchers } from '../matchers/index.ts'
import { createMock, type Mock } from '../node/index.ts'
import type { MockOptions } from '../options.ts'

declare module 'vitest' {
  interface Matchers<T> extends PaylinkMatchers<Promise<T>> {}
}

/** What a test may ask for by name. What none asks for is not made. */
export interface PaylinkFixtures {
  /** What the mock of the worker is made from; override it for other options. @default nothing */
  readonly mockOptions: MockOptions
  /** The mock that all tests of a worker share. */
  readonly mock: Mock
  /** Where the mock listens, base path included: what the code under test takes for the address of the service. */
  readonly serviceUrl: string
  /** A project for this test alone. When the test fails its requests and rows are printed. */
  readonly project: ProjectControl
}

expect.extend(matchers)

/** `test` with a mock for the worker and a project for each test. */
export const test: TestAPI<PaylinkFixtures> = base.extend<PaylinkFixtures>({
  mockOptions: [{}, { scope: 'worker' }],
  mock: [
    async ({ mockOptions }, use) => {
      const mock = createMock(mockOptions)
      await use(mock)
      await mock.close()
    },
    { scope: 'worker' },
  ],
  serviceUrl: [
    async ({ mock, mockOptions }, use) => {
      const { url } = await mock.listen()
      await use(serviceUrlOf(url, mockOptions.basePath))
    },
    { scope: 'worker' },
  ],
  // It is left as it is when the test is over: it is small, and what the test has left running may still call it.
  project: async ({ mock, task, onTestFailed }, use) => {
    const project = mock.project(projectIdFor(...namesOf(task)))
    // Another try, or another round, finds what the first one found.
    if ((task.result?.retryCount ?? 0) + (task.result?.repeatCount ?? 0) > 0) await project.reset()
    onTestFailed(async () => console.error(await projectReport(project)))
    await use(project)
  },
})

export { expect }

type Test = TestContext['task']
type Tasks = Test['file']['tasks']

/** The file, the suites and the test; and which one it is, where several are named alike. */
const namesOf = (test: Test): string[] => {
  const names = suitesAndName(test)
  const twins = testsOf(test.file.tasks).filter((one) => suitesAndName(one).join() === names.join())
  return [test.file.projectName ?? '', test.file.name, String(twins.indexOf(test)), ...names]
}

const suitesAndName = ({ name, suite }: Test | NonNullable<Test['suite']>): string[] =>
  suite === undefined ? [name] : [...suitesAndName(suite), name]

const testsOf = (tasks: Tasks): Test[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task.tasks) : [task as Test]))
