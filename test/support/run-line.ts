import type { Mock, ProjectControl } from '../../src/node/index.ts'

/** The names that the lines of a coverage use. */
export interface LineScope {
  readonly project: ProjectControl
  readonly serviceUrl: string
  readonly fetch: Mock['fetch']
}

/** Runs the line of a situation as the statement of a test. Returns the id of the record that it creates. */
export const runLine = (line: string, scope: LineScope): Promise<string | undefined> => {
  const id = '(typeof user === "undefined" ? typeof link === "undefined" ? undefined : link : user)?.id'
  const source = `return async ({ project, serviceUrl, fetch }) => { ${line}\nreturn ${id} }`
  // oxlint-disable-next-line no-implied-eval -- the lines are made to be pasted into a test
  return (new Function(source)() as (scope: LineScope) => Promise<string | undefined>)(scope)
}
