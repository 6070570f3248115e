import { errors, type MockError } from '../schema/error.ts'
import { isOfProject, type Matcher } from '../schema/matcher.ts'
import { type Problem, quote } from '../schema/problem.ts'

/**
 * Throws if a matcher of a call for one project names another one: it would match nothing.
 *
 * @param prefix the path of the matcher in the call, such as `match.`
 */
export const rejectOtherProject = (
  matcher: Pick<Matcher, 'project' | 'path'>,
  project: string,
  prefix: string,
  createError: (problems: Problem[]) => MockError,
): void => {
  const reject = (name: 'project' | 'path', expectation: string) => {
    const path = `${prefix}${name}`
    const message = `${path} ${expectation}, because the call is for that project (got ${quote(matcher[name])}).`
    throw createError([{ path, message }])
  }
  if (matcher.project !== undefined && matcher.project !== project) reject('project', `must be '${project}' or omitted`)
  if (matcher.path !== undefined && !isOfProject(matcher.path, project))
    reject('path', `must be a path of project '${project}', or have '*' as its project`)
}

export const createBodyError = (problems: Problem[]): MockError =>
  errors.invalidBody({ what: 'The request body', problems })
