import type { ErrorCode } from '../schema/error.ts'
import { version } from '../version.ts'
import type { ErrorDocs } from '../wire/error-responses.ts'
import { describeRoutes } from '../wire/openapi.ts'
import type { Route } from '../wire/route.ts'

const description = `How a test steers the mock. Every capability stands twice where it can: for all projects, those to come
included, and with the same sub-path below \`/__admin/projects/{project}\` for one. Unknown fields are refused with the
nearest right name. What is refused has changed nothing.`

const tags = [
  { name: 'All projects', description: 'What is steered for all projects, and for the mock itself.' },
  { name: 'One project', description: 'What is steered for one project.' },
]

const all: readonly ErrorCode[] = ['adminTokenMissing', 'adminTokenWrong', 'hostNotAllowed', 'originNotAllowed']
const body: readonly ErrorCode[] = ['malformedBody', 'bodyTooLarge', 'unsupportedMediaType', 'invalidBody']

const docs: Readonly<Partial<Record<ErrorCode, ErrorDocs>>> = {
  adminTokenMissing: { when: 'a token is configured', message: 'The admin plane needs its token here.' },
  adminTokenWrong: { when: 'a token is configured', message: 'The admin token is not the configured one.' },
  hostNotAllowed: { message: "The admin plane does not answer to the Host 'evil.example'." },
  originNotAllowed: { message: "The admin plane takes no calls from pages of 'https://evil.example'." },
  projectNotFound: { message: "No project 'acme'." },
  userNotFound: { message: "No user 'usr_x' in project 'acme'." },
  paymentLinkNotFound: { message: "No payment link 'pml_x' in project 'acme'." },
  snapshotNotFound: { message: "No snapshot 'paid' of project 'acme'.", hint: 'None has been saved.' },
  planNotFound: { message: "No plan for payment link 'pml_x' in project 'acme'." },
  requestNotFound: { message: "No request 'req_x' in the journal." },
  faultNotFound: { message: "No fault 'flt_x'.", hint: 'There is none.' },
  notVerified: { message: 'createUser was expected exactly once and was seen 2 times.' },
  journalDropped: {
    message: 'createUser was expected exactly once and was seen 0 times, but 12 older entries are there no more.',
  },
  violationsFound: { message: 'Clients sent what the specification does not allow.' },
  paymentLinkNotActive: { message: "Payment link 'pml_x' cannot be paid: it is canceled." },
  idTaken: { message: "The id 'usr_x' is that of another user of project 'acme'." },
  malformedBody: { message: 'The request body is empty.', hint: 'Send a JSON object.' },
  bodyTooLarge: { message: 'The request body must be at most 524288000 bytes.' },
  unsupportedMediaType: { message: "The request body must be sent as JSON (got 'text/plain')." },
  invalidBody: {
    message: 'email is required.',
    details: [{ path: 'email', message: 'email is required.' }],
  },
  cursorNotFound: { message: "No user 'usr_x' in project 'acme' to list from." },
  cursorGone: { message: "The user 'usr_x' of project 'acme' was deleted, so nothing can be listed from it." },
  invalidQuery: {
    status: 422,
    message: "limit must be an integer from 0 (got 'x').",
    details: [{ path: 'limit', message: "limit must be an integer from 0 (got 'x')." }],
  },
}

const text = { schema: { type: 'string' } }

/** The OpenAPI 3.1 document of the control plane, from the table of its verbs. */
export const controlDocument = (routes: readonly Route[]): unknown =>
  describeRoutes({
    title: 'Control plane of paylink-mock',
    description,
    version,
    server: '/',
    tags,
    named: {},
    routes: routes.map((route) => ({ ...route, errors: errorsOf(route) })),
    docsOf: (route) => ({
      tag: route.path.includes('{project}') ? 'One project' : 'All projects',
      description: `${route.summary}.`,
      answer: route.response === undefined ? 'Done.' : `${route.summary}: done.`,
      responses: {},
    }),
    pathParameters: {
      project: { description: 'A project; it comes into being with the first write.', ...text },
      user: { description: 'The id of a user.', ...text },
      paymentLink: { description: 'The id of a payment link.', ...text },
      name: { description: 'The name of a snapshot.', ...text },
      request: { description: 'The id of a request: its `Mock-Request-Id`.', ...text },
      fault: { description: 'The id of a fault.', ...text },
    },
    headers: {},
    errors: { all, body, docs },
  })

/** The refusals that follow from what a path names and from what a verb does. */
const errorsOf = ({ path, method, query }: Route): ErrorCode[] => [
  ...(path.includes('{user}') ? ['userNotFound' as const] : []),
  ...(path.includes('/paymentLinks/{paymentLink}') ? ['paymentLinkNotFound' as const] : []),
  ...(path.includes('/plans/{paymentLink}') ? ['planNotFound' as const] : []),
  ...(path.includes('{name}') ? ['snapshotNotFound' as const] : []),
  ...(/\/(?:pay|cancel)$/.test(path) ? ['paymentLinkNotActive' as const] : []),
  ...(method === 'POST' && /\/(?:users|paymentLinks)$/.test(path) ? ['idTaken' as const] : []),
  ...(method === 'DELETE' && path.endsWith('{project}') ? ['projectNotFound' as const] : []),
  ...(query ? ['invalidQuery' as const] : []),
  ...(query && 'after' in query.shape ? (['cursorNotFound', 'cursorGone'] as const) : []),
  ...(path.includes('{request}') ? ['requestNotFound' as const] : []),
  ...(path.includes('{fault}') ? ['faultNotFound' as const] : []),
  ...(path.endsWith('/requests/verify') ? (['notVerified', 'journalDropped'] as const) : []),
  ...(path.endsWith('/violations/verify') ? ['violationsFound' as const] : []),
]
