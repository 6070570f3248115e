import { requireOption } from '../../core/schema/check-options.ts'
import { errors, type MockError } from '../../core/schema/error.ts'
import { expect as vitestExpect, test as base, type TestAPI, type TestContext } from 'vitest'
import type { Control, ProjectControl } from '../../core/client/control.ts'
import { type Isolation, projectIdFor, checkIsolation, getServiceUrl } from '../../core/client/test-helpers.ts'
import { warnOfUnusedFaults } from '../../core/client/fault-control.ts'
import type { ExploreResult, InterleaveResult } from '../../explore/result.ts'
import { matchers, type PaylinkMatchers } from '../matchers/index.ts'
import type { Mock, MockSandbox } from '../../node/index.ts'
import type { MockOptions } from '../../core/schema/mock-options.ts'

/** The fixtures of a test. An unused fixture is not created. */
export interface PaylinkFixtures {
  /** The options that the mock of the worker is created with. @default {} */
  readonly mockOptions: MockOptions
  /** Whether each test has a project or a sandbox of its own. @default 'project' */
  readonly isolation: Isolation
  /**
   * The folder to which each worker writes its coverage, for `paylink-mock coverage`. A relative one is relative to the
   * directory in which vitest runs. Empty: none.
   *
   * @default ''
   */
  readonly coverage: string
  /** The mock, which all tests of a worker share. */
  readonly mock: Mock
  /** The base URL of the service for the code under test. With `isolation: 'sandbox'` it contains the sandbox of the test. */
  readonly serviceUrl: string
  /**
   * A project for this test alone. Its requests and records are printed if the test fails. A fault that never applied is
   * printed as a warning at the end of the test.
   */
  readonly project: ProjectControl
  /** With `isolation: 'sandbox'`: a sandbox for this test alone. A failed test prints its state like that of a project. */
  readonly sandbox: MockSandbox
}

interface InternalFixtures extends PaylinkFixtures {
  readonly address: string
  readonly ownSandbox: MockSandbox | undefined
}

type VitestExpect = typeof vitestExpect
type Matchers = PaylinkMatchers<Promise<void>>
interface AssertedMatchers extends Matchers {
  /** Expects the opposite. */
  readonly not: Matchers
}

type MatcherReceiver = Control | ProjectControl | ExploreResult | InterleaveResult

/** The assertions of vitest, and those of a mock. */
export type PaylinkAssertion<T> = ReturnType<typeof vitestExpect<T>> & AssertedMatchers

/** The `expect` of vitest. It is typed here because the types that vitest lets others extend change between its releases. */
export interface PaylinkExpect extends VitestExpect {
  <T extends MatcherReceiver>(received: T, message?: string): PaylinkAssertion<T>
  /** Lets the test go on after a failure, which fails the test at its end. */
  readonly soft: (<T extends MatcherReceiver>(received: T, message?: string) => PaylinkAssertion<T>) &
    VitestExpect['soft']
  /** Calls a function again until the assertion holds. */
  readonly poll: (<T extends MatcherReceiver>(
    receive: () => T | Promise<T>,
    options?: Parameters<VitestExpect['poll']>[1],
  ) => PaylinkAssertion<T>) &
    VitestExpect['poll']
}

vitestExpect.extend(matchers)

/**
 * The `expect` of vitest with the matchers.
 *
 * @example
 * await expect(project).toHaveReceived('createPaymentLink')
 */
export const expect = vitestExpect as PaylinkExpect

/**
 * The `test` of vitest with a mock for each worker and a project for each test. `expect` has the matchers.
 *
 * @example
 * test('creates a link', async ({ project }) => {
 *   await expect(project).toHaveReceived('createPaymentLink')
 * })
 */
export const test: TestAPI<PaylinkFixtures> = base.extend<InternalFixtures>({
  mockOptions: [{}, { scope: 'worker' }],
  isolation: 'project',
  coverage: ['', { scope: 'worker' }],
  mock: [
    async ({ mockOptions, coverage }, use) => {
      requireOption('coverage', typeof coverage === 'string', 'must be the path of a folder', coverage)
      // Loaded on demand: a file whose tests use no mock loads a tenth of the package.
      const { createMock } = await import('../../node/index.ts')
      const mock = createMock(mockOptions)
      await use(mock)
      if (coverage !== '') {
        const { writeCoverage } = await import('../../command-line/files.ts')
        await writeCoverage(coverage, await mock.coverage())
      }
      await mock.close()
    },
    { scope: 'worker' },
  ],
  address: [async ({ mock }, use) => use((await mock.listen()).url), { scope: 'worker' }],
  serviceUrl: ({ address, ownSandbox, mockOptions }, use) =>
    use(getServiceUrl(ownSandbox?.url ?? address, mockOptions.basePath)),
  // The project is kept after the test: it is small, and requests of the test may still be in flight.
  project: ({ mock, isolation, task, onTestFailed }, use) => {
    checkIsolation(isolation)
    if (isolation !== 'project') throw createFixtureError('project', "Use sandbox.project('acme').")
    return useIsolatedScope(mock.project(createTaskId(task)), task, onTestFailed, use)
  },
  // The same is true of a sandbox. The mock limits their number.
  ownSandbox: ({ mock, isolation, task, onTestFailed }, use) => {
    checkIsolation(isolation)
    if (isolation === 'project') return use(undefined)
    return useIsolatedScope(mock.sandbox(createTaskId(task)), task, onTestFailed, use)
  },
  sandbox: ({ ownSandbox }, use) => {
    if (ownSandbox === undefined) throw createFixtureError('sandbox', "Call test.override({ isolation: 'sandbox' }).")
    return use(ownSandbox)
  },
})

const createFixtureError = (fixture: string, remedy: string): MockError =>
  errors.invalidOptions({ message: `The fixture '${fixture}' does not exist with this isolation. ${remedy}` })

type VitestTask = TestContext['task']
type VitestTasks = VitestTask['file']['tasks']

/** Runs a test with a project or sandbox of its own. A retry starts from the same state as the first run. */
const useIsolatedScope = async <S extends ProjectControl | MockSandbox>(
  scope: S,
  { result }: VitestTask,
  onTestFailed: TestContext['onTestFailed'],
  use: (scope: S) => Promise<void>,
): Promise<void> => {
  const isRepeated = (result?.retryCount ?? 0) + (result?.repeatCount ?? 0) > 0
  if (isRepeated) await ('dispose' in scope ? scope.dispose() : scope.reset())
  onTestFailed(async () => console.error(await scope.report()))
  await use(scope)
  await warnOfUnusedFaults(scope)
}

/** An id from the names of the file, the suites and the test, with an index among tests of the same name. */
const createTaskId = (test: VitestTask): string => {
  const taskNames = listTaskNames(test)
  const sameNamedTests = listTestTasks(test.file.tasks).filter(
    (otherTest) => listTaskNames(otherTest).join() === taskNames.join(),
  )
  return projectIdFor(test.file.projectName ?? '', test.file.name, String(sameNamedTests.indexOf(test)), ...taskNames)
}

const listTaskNames = ({ name, suite }: VitestTask | NonNullable<VitestTask['suite']>): string[] =>
  suite === undefined ? [name] : [...listTaskNames(suite), name]

const listTestTasks = (tasks: VitestTasks): VitestTask[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? listTestTasks(task.tasks) : [task as VitestTask]))
