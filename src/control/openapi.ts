import { type VerbId, verbs } from '../schema/verbs.ts'
import { version } from '../version.ts'
import { describeRoutes, type Examples, type RouteDocs } from '../wire/openapi.ts'
import type { Route } from '../wire/route.ts'
import { controlErrors } from './error-docs.ts'
import { bodyExamples } from './examples.ts'

/** A command as a route: for all projects, or for one. */
export interface ControlRoute extends Route {
  readonly verb: VerbId
}

const description = `The control API of the mock. Most endpoints exist twice: for all projects, including future ones, and with the
same sub-path below \`/__admin/projects/{project}\` for one project. A rejected request changes nothing. Unknown fields are
rejected, and the error suggests the nearest name.`

const tags = [
  { name: 'All projects', description: 'Endpoints for all projects, and for the mock itself.' },
  { name: 'One project', description: 'Endpoints for one project.' },
]

/** What some endpoints need beside their summary. */
const details: Readonly<Partial<Record<VerbId, string>>> = {
  health: 'Needs no token.',
  changeProject: 'Sets the preferred locale.',
  deleteProject: 'The next use of the project creates it again from the template.',
  exportState: 'Returns a seed document, which `PUT` accepts.',
  advanceClock: 'Runs the scheduled payments that are due then.',
  readTokens: 'Shows a short hash of each token.',
  patchUser: 'Sets any field, read-only ones included.',
  patchPaymentLink: 'Sets any field, read-only ones included.',
  payPaymentLink: 'Pays now, or schedules the payment with `when`.',
  listRequests: 'Oldest first.',
  verifyRequests: 'Responds with 409 if the verification fails, after waiting up to `within` milliseconds.',
  listViolations: 'What clients sent that the specification does not allow, or that the mock let pass.',
  verifyViolations: 'Responds with 409 if there are any.',
  listAssumptions: 'The behaviors that responses relied on.',
  events: 'Server-sent events. The header `Last-Event-ID` resumes after an event.',
}

const { responseForAll: ProjectList } = verbs.reset

/** The responses, by the names of their schemas. */
const named = {
  Health: verbs.health.response,
  Project: verbs.retrieveProject.response,
  ProjectList,
  State: verbs.exportState.responseForAll,
  ProjectState: verbs.exportState.response,
  Snapshot: verbs.saveSnapshot.response,
  SnapshotList: verbs.listSnapshots.response,
  Clock: verbs.readClock.response,
  Behaviors: verbs.readBehaviors.response,
  TokenList: verbs.readTokens.response,
  User: verbs.retrieveUser.response,
  UserList: verbs.listUsers.response,
  PaymentLink: verbs.retrievePaymentLink.response,
  PaymentLinkList: verbs.listPaymentLinks.response,
  ScheduledPayment: verbs.payPaymentLink.accepted,
  ScheduledPaymentList: verbs.listPlans.response,
  RecordedRequest: verbs.retrieveRequest.response,
  RecordedRequestList: verbs.listRequests.response,
  Verification: verbs.verifyRequests.response,
  ViolationList: verbs.listViolations.response,
  AssumptionList: verbs.listAssumptions.response,
  Fault: verbs.retrieveFault.response,
  FaultList: verbs.listFaults.response,
  Event: verbs.events.event,
}

const id = { schema: { type: 'string' } }

/** The OpenAPI 3.1 document of the control API, from the table of its commands. */
export const controlDocument = (routes: readonly ControlRoute[]): unknown =>
  describeRoutes({
    title: 'Control API of paylink-mock',
    description,
    version,
    server: '/',
    tags,
    security: [{}, { bearer: [] }],
    strictBodies: true,
    named,
    routes,
    docsOf: (route) => docsOf(route as ControlRoute),
    pathParameters: {
      project: { description: 'The id of a project. The first write creates it.', ...id },
      user: { description: 'The id of a user.', ...id },
      paymentLink: { description: 'The id of a payment link.', ...id },
      name: { description: 'The name of a snapshot.', ...id },
      request: { description: 'The id of a request: its `Mock-Request-Id`.', ...id },
      fault: { description: 'The id of a fault.', ...id },
    },
    headers: {},
    errors: controlErrors,
  })

const docsOf = ({ verb, id, path, summary }: ControlRoute): RouteDocs => {
  const examples: Readonly<Partial<Record<string, Examples>>> = bodyExamples
  const requests = examples[id] ?? examples[verb]
  return {
    tag: path.includes('{project}') ? 'One project' : 'All projects',
    description: details[verb] ?? `${summary}.`,
    answer: 'Success.',
    accepted: 'The payment is scheduled.',
    ...(requests && { requests }),
    ...(verb === 'health' && { security: [] }),
  }
}
