import { requireOption } from '../schema/check-options.ts'
import { errors } from '../schema/error.ts'
import { isRecord } from '../schema/json-value.ts'
import { quote } from '../schema/problem.ts'
import { trimSlashes } from '../schema/url.ts'
import { requireString } from './call.ts'
import type { ProjectControl } from './control.ts'

/**
 * The part of the mock that a test has for itself: a project or a sandbox.
 *
 * @default 'project'
 */
export type Isolation = 'project' | 'sandbox'

export const checkIsolation = (value: unknown): void =>
  requireOption('isolation', value === 'project' || value === 'sandbox', "must be 'project' or 'sandbox'", value)

/** The base URL of the mocked API, without a slash at the end. */
export const getServiceUrl = (url: string, basePath = ''): string => [url, basePath].map(trimSlashes).join('')

/**
 * Returns a project id for one test, made from the names of its file, its suites and itself. It is the same in every run
 * and on every machine, and differs if a name differs: the readable part of the last name, then a hash of all names.
 *
 * @throws MockError `invalidOptions` if a name is not a string, or there is none
 * @example
 * const project = mock.project(projectIdFor('users.test.ts', 'creates a user'))
 */
export const projectIdFor = (...names: readonly string[]): string => {
  for (const name of names) requireString('projectIdFor: a name', name)
  const isNamed = names.join('') !== ''
  requireOption('projectIdFor', isNamed, 'needs the names of a test, such as its file and its title', names[0])
  // Only ASCII letters: other languages change the case of the others in other ways.
  const readable = (names.at(-1) ?? '').replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[^a-z0-9]+/g, '-')
  return `${readable.slice(0, 40).replace(/^-+|-+$/g, '') || 'test'}-${hash(names.join('\0'))}`
}

/** FNV-1a over the UTF-8 bytes, 64 bits as 16 hexadecimal digits. */
const hash = (text: string): string => {
  let state = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) state = BigInt.asUintN(64, (state ^ BigInt(byte)) * 0x100000001b3n)
  return state.toString(16).padStart(16, '0')
}

/**
 * Summarizes a project for the output of a failed test: its last requests, records and faults. The text stays short.
 *
 * @throws MockError `invalidOptions` if the argument is not a project
 * @example
 * console.error(await formatProject(acme))
 */
export const formatProject = async (project: ProjectControl): Promise<string> => {
  if (isRecord(project) && typeof project.summary === 'function') return project.report()
  const message = `formatProject needs a project, such as mock.project('acme') (got ${quote(project)}).`
  throw errors.invalidOptions({ message })
}
