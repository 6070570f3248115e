import { expect, test as base, type TestAPI, type TestContext } from 'vitest'
import type { ProjectControl } from '../client/control.ts'
import { projectIdFor, formatProject, serviceUrlOf } from '../client/test-helpers.ts'
import { matchers, type PaylinkMatchers } from '../matchers/index.ts'
import { createMock, type Mock } from '../node/index.ts'
import type { MockOptions } from '../schema/options.ts'

declare module 'vitest' {
  interface Matchers<T> extends PaylinkMatchers<Promise<T>> {}
}

/** The fixtures of a test. An unused fixture is not created. */
export interface PaylinkFixtures {
  /** The options that the mock of the worker is created with. @default {} */
  readonly mockOptions: MockOptions
  /** The mock, which all tests of a worker share. */
  readonly mock: Mock
  /** The address of the mock with its base path: the base URL of the service for the code under test. */
  readonly serviceUrl: string
  /** A project for this test alone. Its requests and records are printed if the test fails. */
  readonly project: ProjectControl
}

expect.extend(matchers)

/**
 * The `test` of vitest with a mock for each worker and a project for each test. `expect` has the matchers.
 *
 * @example
 * test('creates a link', async ({ project }) => {
 *   await expect(project).toHaveReceived('createPaymentLink')
 * })
 */
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
  // The project is kept after the test: it is small, and requests of the test may still be in flight.
  project: async ({ mock, task, onTestFailed }, use) => {
    const project = mock.project(projectIdFor(...namesOf(task)))
    // A retry or repetition starts from the same state as the first run.
    if ((task.result?.retryCount ?? 0) + (task.result?.repeatCount ?? 0) > 0) await project.reset()
    onTestFailed(async () => console.error(await formatProject(project)))
    await use(project)
  },
})

export { expect }

type Test = TestContext['task']
type Tasks = Test['file']['tasks']

/** The names of the file, the suites and the test, with an index among tests of the same name. */
const namesOf = (test: Test): string[] => {
  const names = suitesAndName(test)
  const twins = testsOf(test.file.tasks).filter((one) => suitesAndName(one).join() === names.join())
  return [test.file.projectName ?? '', test.file.name, String(twins.indexOf(test)), ...names]
}

const suitesAndName = ({ name, suite }: Test | NonNullable<Test['suite']>): string[] =>
  suite === undefined ? [name] : [...suitesAndName(suite), name]

const testsOf = (tasks: Tasks): Test[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task.tasks) : [task as Test]))
