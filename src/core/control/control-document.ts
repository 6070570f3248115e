import { controlStatuses, type ErrorCode, serverErrors } from '../schema/error.ts'
import { SandboxSummary } from '../schema/summaries.ts'
import { VerificationFailureFields } from '../schema/verification.ts'
import type { DocumentedErrors } from '../openapi/error-responses.ts'
import { buildDocument, type DocumentedRoute } from '../openapi/build-document.ts'
import type { Route } from '../openapi/route.ts'
import { type Command, notFoundCodes } from './command.ts'
import { commands } from './commands.ts'

export interface ControlRoute extends Route, Pick<Command, 'description' | 'examples' | 'isPublic' | 'handle'> {}

const accessErrors = [
  'adminTokenMissing',
  'adminTokenWrong',
  'controlApiClosed',
  'hostNotAllowed',
  'originNotAllowed',
] as const satisfies readonly ErrorCode[]

const controlDescription = `The control API of the mock. Most endpoints exist twice: for all projects, including future ones, and with the
same sub-path below \`/__admin/projects/{project}\` for one project. A rejected request changes nothing. Unknown fields are
rejected, and the error suggests the nearest name.`

const controlTags = [
  { name: 'All projects', description: 'Endpoints for all projects, and for the mock itself.' },
  { name: 'One project', description: 'Endpoints for one project.' },
]

/** In the order of the document. */
const namedSchemas = {
  Health: commands.health.response,
  Project: commands.retrieveProject.response,
  ProjectList: commands.listProjects.response,
  State: commands.exportState.responseForAll,
  ProjectState: commands.exportState.response,
  Sandbox: SandboxSummary,
  SandboxList: commands.listSandboxes.response,
  Snapshot: commands.saveSnapshot.response,
  SnapshotList: commands.listSnapshots.response,
  Clock: commands.readClock.response,
  Behaviors: commands.readBehaviors.response,
  TokenList: commands.readTokens.response,
  User: commands.retrieveUser.response,
  UserList: commands.listUsers.response,
  PaymentLink: commands.retrievePaymentLink.response,
  PaymentLinkList: commands.listPaymentLinks.response,
  ScheduledPayment: commands.payPaymentLink.accepted,
  ScheduledPaymentList: commands.listScheduledPayments.response,
  RecordedRequest: commands.retrieveRequest.response,
  RecordedRequestList: commands.listRequests.response,
  Verification: commands.verifyRequests.response,
  ViolationList: commands.listViolations.response,
  AssumptionList: commands.listAssumptions.response,
  Coverage: commands.readCoverage.response,
  Fault: commands.retrieveFault.response,
  FaultList: commands.listFaults.response,
  ProjectReports: commands.report.response,
  MockEvent: commands.events.event,
}

// Endpoints without a body reject one. A GET ignores it.
const bodyCodes: readonly ErrorCode[] = [
  'malformedBody',
  'bodyTooLarge',
  'unsupportedMediaType',
  'invalidBody',
  'stateReplaced',
]

const listRouteErrors = ({ isPublic, method, path, errors = [] }: ControlRoute): readonly ErrorCode[] => {
  if (isPublic) return [...new Set([...serverErrors, ...errors])]
  const notFoundErrors = [...path.matchAll(/(\w+)\/\{/g)].flatMap(([, segment = '']) => notFoundCodes[segment] ?? [])
  return [
    ...accessErrors,
    ...serverErrors,
    ...(method === 'GET' ? [] : bodyCodes),
    'invalidQuery',
    ...notFoundErrors,
    ...errors,
  ]
}

const controlErrors: DocumentedErrors = {
  format: 'object',
  examplePath: 'partner.user',
  shared: [...accessErrors, ...serverErrors, ...bodyCodes, 'invalidQuery'],
  others: ['routeNotFound', 'methodNotAllowed'],
  statuses: controlStatuses,
  conditions: {
    adminTokenMissing: 'a configured token',
    adminTokenWrong: 'a configured token',
    controlApiClosed: 'a mock that is mounted in another app without the option `adminToken`',
    stateReplaced: 'a sandbox that is deleted before the whole body has arrived',
  },
  extended: {
    name: 'VerificationError',
    description: 'The error of a failed verification.',
    codes: ['verificationFailed', 'journalTruncated'],
    facts: VerificationFailureFields,
  },
}

const lastEvent = {
  description: 'The id of an event. The stream starts after it.',
  schema: { type: 'integer', minimum: 0 },
}

export const buildControlDocument = (routes: readonly ControlRoute[], prefix: string): unknown =>
  buildDocument({
    title: 'Control API of paylink-mock',
    description: controlDescription,
    server: prefix || '/',
    tags: controlTags,
    security: [{}, { bearer: [] }],
    strictBodies: true,
    namedSchemas,
    routes: routes.map(describeRoute),
    pathParameters: {
      project: { description: 'The id of a project. The first write creates it.' },
      user: { description: 'The id of a user.' },
      paymentLink: { description: 'The id of a payment link.' },
      name: { description: 'The name of a snapshot.' },
      request: { description: 'The id of a request: its `Mock-Request-Id`.' },
      fault: { description: 'The id of a fault.' },
      sandbox: { description: 'The name of a sandbox.' },
    },
    headers: {},
    errors: controlErrors,
  })

const describeRoute = (route: ControlRoute): DocumentedRoute => ({
  ...route,
  tag: route.path.includes('{project}') ? 'One project' : 'All projects',
  description: route.description ?? `${route.summary}.`,
  ...(route.examples && { requests: route.examples }),
  ...(route.event && { requestHeaders: { 'Last-Event-ID': lastEvent } }),
  ...(route.isPublic && { security: [] }),
  errors: listRouteErrors(route),
})
