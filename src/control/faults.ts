import { Refusal } from '../schema/error.ts'
import type { FaultRule } from '../schema/fault.ts'
import { isOfProject } from '../schema/matcher.ts'
import { quote } from '../schema/problem.ts'
import { type ControlOptions, type Handlers, list } from './task.ts'

type FaultVerb = 'listFaults' | 'addFault' | 'removeFaults' | 'retrieveFault' | 'removeFault'

/** What is broken on purpose: for all projects by one rule with one count, or for one. */
export const faultVerbs = ({ world, traffic: { faults } }: ControlOptions): Handlers<FaultVerb> => ({
  listFaults: { one: ({ project }) => list(faults.list(project)), all: () => list(faults.list()) },
  addFault: {
    one: ({ project, body }) => {
      refuseOtherProject(body, project)
      world.enter(project)
      return faults.add(body, project)
    },
    all: ({ body }) => faults.add(body),
  },
  removeFaults: {
    one: ({ project }) => faults.removeAll(project) as undefined,
    all: () => faults.removeAll() as undefined,
  },
  retrieveFault: {
    one: ({ project, params }) => faults.get(params.fault!, project),
    all: ({ params }) => faults.get(params.fault!),
  },
  removeFault: {
    one: ({ project, params }) => faults.remove(params.fault!, project) as undefined,
    all: ({ params }) => faults.remove(params.fault!) as undefined,
  },
})

// A rule for one project that is about another one would never strike.
const refuseOtherProject = ({ match }: FaultRule, project: string) => {
  if (match?.project !== undefined && match.project !== project)
    throw foreign('match.project', `must be '${project}', or left out`, match.project)
  if (match?.path !== undefined && !isOfProject(match.path, project))
    throw foreign('match.path', `must be a path of project '${project}', or have '*' for it`, match.path)
}

const foreign = (path: string, expectation: string, got: string): Refusal => {
  const message = `${path} ${expectation}: the rule is for that project (got ${quote(got)}).`
  return new Refusal('invalidBody', message, { details: [{ path, message }], status: 422 })
}
