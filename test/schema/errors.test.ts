import { expect, it } from 'vitest'
import { createExample, errorDefinitions, errors, MockError, type ErrorCode } from '../../src/core/schema/error.ts'

const user = { id: 'usr_x', project: 'acme', text: 'user' }
const isLink = { is: 'otherKind', prefix: 'pml', text: 'payment link', path: 'paymentLinks' } as const
const limit = { path: 'limit', message: 'limit must be an integer.' }
const email = { path: 'email', message: 'email is required.' }
const claim = 'createUser was expected once and was never seen'
const failed = { claim, expected: { exactly: 1 }, actual: 0, nearMisses: [] }
const near = { method: 'POST', path: '/projects/acme/users', status: 422, differences: ['a', 'b'] }
const violation = { ...email, operation: 'createUser', spec: '§4.1' }

/** All errors with different texts. Other tests compare codes and paths. */
const all: readonly MockError[] = [
  errors.tokenMissing({ isMalformed: false, anyTokenIsValid: true }),
  errors.tokenMissing({ isMalformed: true, anyTokenIsValid: false }),
  errors.tokenInvalid(),
  errors.tokenExpired('2025-01-01T00:00:00.000Z'),
  errors.tokenNotForProject('acme'),
  errors.adminTokenMissing(),
  errors.adminTokenWrong(),
  errors.hostNotAllowed({ host: 'mock.example:80', name: 'mock.example' }),
  errors.hostNotAllowed({ paymentPageHost: 'mock.example' }),
  errors.originNotAllowed({ origin: 'https://shop.example' }),
  errors.originNotAllowed({ site: 'cross-site' }),
  errors.originNotAllowed({ paymentFrom: 'a page that hides its origin' }),
  errors.routeNotFound({ method: 'GET', path: '/x', near: ['GET /y', 'POST /y'] }),
  errors.routeNotFound({ method: 'GET', path: '/x', near: [] }),
  errors.routeNotFound({ method: 'GET', path: '/v1/projects', near: [], basePath: '' }),
  errors.routeNotFound({ method: 'GET', path: '/a b/projects', near: [], basePath: '' }),
  errors.routeNotFound({ method: 'GET', path: '/projects', near: [], basePath: '/v1' }),
  errors.routeNotFound({ sandbox: 'a b' }),
  errors.routeNotFound({ onlyForProjects: { method: 'GET', path: '/__admin/', isPage: true } }),
  errors.routeNotFound({ onlyForProjects: { method: 'GET', path: '/__admin/faults', isPage: false } }),
  errors.routeNotFound('sandboxesAreOff'),
  errors.projectNotFound({ id: 'acme' }),
  errors.projectNotFound({ id: 'acme', known: [] }),
  errors.projectNotFound({ id: 'acme', known: ['shop', 'test'] }),
  errors.projectNotFound({ invalid: [{ path: 'project', message: 'project must not be empty.' }] }),
  errors.userNotFound(user),
  errors.userNotFound({ ...user, reason: { is: 'deleted' } }),
  errors.userNotFound({ ...user, reason: { is: 'otherProject', project: 'shop' } }),
  errors.userNotFound({ ...user, reason: { is: 'otherPrefix', prefix: 'usr' } }),
  errors.userNotFound({ ...user, id: 'pml_1', reason: isLink }),
  errors.paymentLinkNotFound({ ...user, text: 'payment link', id: 'pml_x' }),
  errors.paymentLinkNotFound({ paymentPage: 'pml_x', project: 'acme' }),
  errors.methodNotAllowed({ method: 'PUT', path: '/x', methods: ['GET', 'HEAD', 'OPTIONS'] }),
  errors.methodNotAllowed('connect'),
  errors.controlApiClosed(),
  errors.notAcceptable('text/html'),
  errors.malformedRequest('notHttp'),
  errors.malformedRequest('notUrl'),
  errors.malformedRequest('noHost'),
  errors.malformedRequest('severalHosts'),
  errors.malformedRequest('undecodablePath'),
  errors.malformedRequest({ segment: '%FF' }),
  errors.requestTimeout(),
  errors.expectationFailed('200-ok'),
  errors.headersTooLarge(16_384),
  errors.invalidQuery({ what: 'The query', problems: [limit] }),
  errors.cursorNotFound({ ...user, name: 'after' }),
  errors.cursorDeleted({ ...user, name: 'before', reason: { is: 'deleted' } }),
  errors.bodyTooLarge(1024),
  errors.bodyTooLarge(1024, 'state'),
  errors.unsupportedMediaType({ contentType: 'text/plain' }),
  errors.unsupportedMediaType({ coding: 'gzip' }),
  errors.unsupportedMediaType({ form: 'application/x-www-form-urlencoded', got: 'text/plain' }),
  errors.malformedBody('empty'),
  errors.malformedBody('incomplete'),
  errors.malformedBody('notUtf8'),
  errors.malformedBody('severalOutcomes'),
  errors.malformedBody({ text: '{"email":' }),
  errors.malformedBody({ text: undefined }),
  errors.malformedBody({ maxDepth: 100 }),
  errors.malformedBody({ outcome: undefined }),
  errors.malformedBody({ outcome: 'maybe' }),
  errors.invalidBody({ what: 'The request body', problems: [limit, email] }),
  errors.invalidBody({ message: 'This command has no request body.' }),
  errors.idempotencyKeyInvalid(255, 256),
  errors.idempotencyKeyReused('order-1'),
  errors.invoiceNotFound({ invoice: 'inv_x', project: 'acme' }),
  errors.paymentLinkNotActive({ id: 'pml_x', status: 'canceled' }, 'paid'),
  errors.emailTaken({ id: 'usr_x', project: 'acme', email: 'ada@example.com', sent: 'Ada@example.com' }),
  errors.snapshotNotFound({ name: 'paid', project: undefined, known: [] }),
  errors.snapshotNotFound({ name: 'paid', project: 'acme', known: ['a', 'b'] }),
  errors.tooManySnapshots('acme', 20),
  errors.scheduledPaymentNotFound({ paymentLink: 'pml_x' }),
  errors.scheduledPaymentNotFound({ paymentLink: 'pml_x', project: 'acme' }),
  errors.sandboxNotFound({ name: 'checkout-1' }),
  errors.sandboxNotFound('inSandbox'),
  errors.tooManySandboxes(1),
  errors.requestNotFound('req_x'),
  errors.faultNotFound('flt_x', []),
  errors.faultNotFound('flt_x', ['flt_a', 'flt_b']),
  errors.verificationFailed(failed),
  errors.verificationFailed({ ...failed, nearMisses: [near] }),
  errors.verificationFailed({ ...failed, nearMisses: [{ ...near, status: null }] }),
  errors.verificationFailed({ unusedFaults: ['One.', 'Another.'] }),
  errors.journalTruncated(failed, 1),
  errors.journalTruncated(failed, 2),
  errors.violationsFound([violation], 0),
  errors.violationsFound([{ ...violation, operation: null }], 3),
  errors.idTaken({ id: 'usr_x', text: 'user', project: 'acme' }),
  errors.invalidOptions({ what: 'createMock', problems: [limit] }),
  errors.stateUnreadable({ project: 'acme', path: '/__admin/projects/acme' }),
  errors.stateUnreadable({ project: 'acme', snapshot: 'paid', cause: undefined }),
  errors.stateReplaced({ project: 'acme' }),
  errors.stateReplaced('sandbox'),
  errors.rateLimited({ project: 'a b', limit: 1, wait: 1000, mode: 'frozen' }),
  errors.rateLimited({ project: 'acme', limit: 2, wait: 1000, mode: 'real' }),
  errors.injectedFault(418),
  errors.shuttingDown(),
  errors.internal(),
]

const codes = Object.keys(errorDefinitions) as readonly ErrorCode[]

it('each error has its message and its hint', () => {
  const texts = all.map(({ code, message, hint }) => `${code}: ${message}${hint === undefined ? '' : ` | ${hint}`}`)
  expect(texts.join('\n')).toMatchInlineSnapshot(`
    "tokenMissing: The Authorization header is missing. | Send 'Authorization: Bearer <token>'; any non-empty token is valid here.
    tokenMissing: The Authorization header must have the form \`Bearer <token>\`. | Send 'Authorization: Bearer <token>'.
    tokenInvalid: The token is not one of the configured tokens. | Tokens are configured with --token, or in the seed under 'tokens'.
    tokenExpired: The token has expired. | It was valid until 2025-01-01T00:00:00.000Z.
    tokenNotForProject: The token is not valid for project 'acme'. | The projects of a token are listed in the seed under 'tokens'.
    adminTokenMissing: The control API requires a token. | Send 'Authorization: Bearer <admin token>', with \`connect(url, { adminToken })\` or --admin-token; the token is set with PAYLINK_MOCK_ADMIN_TOKEN.
    adminTokenWrong: The admin token is not the configured one. | Send 'Authorization: Bearer <admin token>', with \`connect(url, { adminToken })\` or --admin-token; the token is set with PAYLINK_MOCK_ADMIN_TOKEN.
    hostNotAllowed: The control API is not available under the Host 'mock.example:80'. | Use a literal IP address or localhost, or allow the name with --allowed-hosts mock.example.
    hostNotAllowed: The payment page is not available under the Host 'mock.example', which could be a public name. Open it by an IP address or localhost, or allow the name with --public-url or --allowed-hosts.
    originNotAllowed: The control API rejects calls from pages of 'https://shop.example'. | Call it from a test or with curl.
    originNotAllowed: The control API rejects cross-site calls from pages. | Call it from a test or with curl.
    originNotAllowed: A payment can only be posted from its payment page, and this one was posted from a page that hides its origin. Open the payment page.
    routeNotFound: No route matches GET /x. | Similar routes: GET /y, POST /y.
    routeNotFound: No route matches GET /x. | GET /openapi.json lists all routes.
    routeNotFound: No route matches GET /v1/projects. | The mock has no base path. Set it with --base-path /v1, or with the option basePath: '/v1'.
    routeNotFound: No route matches GET /a b/projects. | The mock has no base path: its routes start with /projects.
    routeNotFound: No route matches GET /projects. | The base path of the mock is /v1: its routes start with /v1/projects.
    routeNotFound: '@a b' is not a valid sandbox name. | A name has 1 to 64 letters, digits, '-', '_', '.' or '~', as in /@checkout-1/projects/acme/users.
    routeNotFound: GET /__admin/ is for all projects, but each project is a separate object here. | Open the dashboard of one project: /__admin/?project={project}
    routeNotFound: GET /__admin/faults is for all projects, but each project is a separate object here. | Call it for one project: /__admin/projects/{project}/...
    routeNotFound: Sandboxes are turned off. | Start the mock with --max-sandboxes above 0.
    projectNotFound: No project 'acme'.
    projectNotFound: No project 'acme'. | There are no projects yet.
    projectNotFound: No project 'acme'. | Known projects: shop, test.
    projectNotFound: project must not be empty.
    userNotFound: No user 'usr_x' in project 'acme'.
    userNotFound: No user 'usr_x' in project 'acme'. | The user was deleted.
    userNotFound: No user 'usr_x' in project 'acme'. | It belongs to project 'shop'.
    userNotFound: No user 'usr_x' in project 'acme'. | Ids of users start with 'usr_'.
    userNotFound: No user 'pml_1' in project 'acme'. | An id that starts with 'pml_' belongs to a payment link: see /projects/acme/paymentLinks.
    paymentLinkNotFound: No payment link 'pml_x' in project 'acme'.
    paymentLinkNotFound: No payment link 'pml_x' in project 'acme'. Open the paymentUrl of an existing link.
    methodNotAllowed: PUT is not allowed for /x. | The allowed methods are GET, HEAD, OPTIONS.
    methodNotAllowed: CONNECT is not allowed. | Use the address as a base URL, not as a proxy.
    controlApiClosed: The control API of a mounted mock is closed. | Set the option adminToken of createMock, and send it as a bearer token.
    notAcceptable: The Accept header must allow application/json (got 'text/html'). | Send 'Accept: application/json'.
    malformedRequest: The request is not valid HTTP.
    malformedRequest: The Host header and the path do not form a valid URL. | Send a Host such as 'localhost:4600', and a path that starts with '/'.
    malformedRequest: The Host header is missing or empty. | Send one 'Host' header.
    malformedRequest: The request has several Host headers. | Send one 'Host' header.
    malformedRequest: The path cannot be decoded. | Send percent-encoded UTF-8, and '%25' for a percent sign.
    malformedRequest: '%FF' in the path cannot be decoded, so it is not the name of a project. | Percent-encode the name of the project as UTF-8.
    requestTimeout: The request took too long to arrive.
    expectationFailed: The Expect header must be 100-continue (got '200-ok'). | Omit it.
    headersTooLarge: The request line and headers must be at most 16384 bytes.
    invalidQuery: limit must be an integer.
    cursorNotFound: No user 'usr_x' in project 'acme' to list from.
    cursorDeleted: The user 'usr_x' of project 'acme' was deleted, so it is not a valid cursor. | The user was deleted.
    bodyTooLarge: The request body must be at most 1024 bytes. | The limit is set with --body-limit.
    bodyTooLarge: The request body must be at most 1024 bytes. | Start with a seed file, or let \`generate\` create the records.
    unsupportedMediaType: The request body must be sent as JSON (got 'text/plain'). | Send 'Content-type: application/json'.
    unsupportedMediaType: The request body must not have a Content-Encoding (got 'gzip'). | Leave 'Content-Encoding' out.
    unsupportedMediaType: The form must be sent as application/x-www-form-urlencoded (got 'text/plain').
    malformedBody: The request body is empty. | Send a JSON object.
    malformedBody: The request body is incomplete. | Send the whole body.
    malformedBody: The request body is not UTF-8. | Send JSON, encoded as UTF-8.
    malformedBody: outcome must be sent once.
    malformedBody: The request body is not valid JSON (got {"email":). | Send a JSON object.
    malformedBody: The request body is not valid JSON. | Send a JSON object.
    malformedBody: The request body nests deeper than 100 levels. | Send flatter JSON.
    malformedBody: outcome is required: 'succeeded' or 'failed'.
    malformedBody: outcome must be 'succeeded' or 'failed' (got 'maybe').
    invalidBody: The request body has 2 problems: limit must be an integer; email is required.
    invalidBody: This command has no request body.
    idempotencyKeyInvalid: The Idempotency-Key header must have 1 to 255 characters (got 256).
    idempotencyKeyReused: The Idempotency-Key 'order-1' was sent before, with another body. | Send a new key with each new request.
    invoiceNotFound: No invoice 'inv_x' in project 'acme'. | The seed lists its invoices under 'projects.acme.invoices'.
    paymentLinkNotActive: Payment link 'pml_x' cannot be paid: it is canceled. | Only an active link can be paid or canceled.
    emailTaken: User 'usr_x' of project 'acme' has the email 'ada@example.com'.
    snapshotNotFound: No snapshot 'paid'. | No snapshot has been saved.
    snapshotNotFound: No snapshot 'paid' of project 'acme'. | Saved snapshots: a, b.
    tooManySnapshots: Project 'acme' already has 20 snapshots. | Delete a snapshot, or save under the name of one.
    scheduledPaymentNotFound: No scheduled payment for payment link 'pml_x'.
    scheduledPaymentNotFound: No scheduled payment for payment link 'pml_x' in project 'acme'.
    sandboxNotFound: No sandbox 'checkout-1'.
    sandboxNotFound: A sandbox has no sandboxes. | Call /__admin/sandboxes, without /@name.
    tooManySandboxes: All sandboxes are in use: the maximum is 1. | Delete sandboxes with DELETE /__admin/sandboxes, or raise --max-sandboxes.
    requestNotFound: No request 'req_x' in the journal.
    faultNotFound: No fault 'flt_x'. | There are no faults.
    faultNotFound: No fault 'flt_x'. | Known faults: flt_a, flt_b.
    verificationFailed: createUser was expected once and was never seen.
    verificationFailed: createUser was expected once and was never seen. The nearest request: POST /projects/acme/users (422), where a; b.
    verificationFailed: createUser was expected once and was never seen. The nearest request: POST /projects/acme/users (no response), where a; b.
    verificationFailed: One.
    Another.
    journalTruncated: createUser was expected once and was never seen, but 1 older request was dropped. | Raise --journal-size, or clear the requests before the part to verify.
    journalTruncated: createUser was expected once and was never seen, but 2 older requests were dropped. | Raise --journal-size, or clear the requests before the part to verify.
    violationsFound: Clients sent requests that violate the specification.
    createUser: email is required. (§4.1)
    violationsFound: Clients sent requests that violate the specification.
    no operation: email is required. (§4.1)
    and 3 more
    idTaken: The id 'usr_x' belongs to another user of project 'acme'. | Omit the id, or change the record with PATCH.
    invalidOptions: limit must be an integer.
    stateUnreadable: The stored state of project 'acme' cannot be loaded: it is damaged, or another version of the mock wrote it. | Replace it with POST /__admin/projects/acme/reset or PUT /__admin/projects/acme/state, or DELETE /__admin/projects/acme.
    stateUnreadable: The snapshot 'paid' of project 'acme' cannot be loaded: it is damaged. | Delete it, or save it again.
    stateReplaced: The state of project 'acme' was replaced during the request.
    stateReplaced: The sandbox was deleted during the request.
    rateLimited: Project 'a b' exceeded its rate limit of 1 request. | The next window starts in 1000 ms of the mock clock. That clock is frozen: advance it with POST /__admin/projects/a%20b/clock/advance.
    rateLimited: Project 'acme' exceeded its rate limit of 2 requests. | The next window starts in 1000 ms of the mock clock.
    injectedFault: A fault responds with status 418. | A test created it: GET /__admin/faults shows it.
    shuttingDown: The server is stopping.
    internal: The request failed because of a bug in the mock. | The log shows the error. Please report it."
  `)
})

it('each code has an error', () => {
  const covered = new Set(all.map(({ code }) => code))
  expect(codes.filter((code) => !covered.has(code))).toEqual([])
})

/** Makes each text of a client in the facts of an error as long as a body. */
const lengthen = (facts: unknown, key = ''): unknown => {
  if (Array.isArray(facts)) return facts.map((one) => lengthen(one, key))
  if (typeof facts === 'object' && facts !== null)
    return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, lengthen(value, name)]))
  const isOfClient = /^(?:|id|project|name|path|host|email|sent|invoice|known|paymentLink|contentType)$/.test(key)
  return typeof facts === 'string' && isOfClient ? facts + 'x'.repeat(70_000) : facts
}

// The mock chooses these facts.
const withoutTexts = new Set<ErrorCode>(['malformedRequest', 'tokenExpired', 'paymentLinkNotActive', 'stateUnreadable'])

it.each(codes.filter((code) => !withoutTexts.has(code)))('%s shortens the texts of clients', (code) => {
  const create = errors[code] as (...facts: unknown[]) => MockError
  const { message, hint = '' } = create(...(lengthen(errorDefinitions[code].example) as unknown[]))
  expect(message.length + hint.length).toBeLessThan(1000)
})

it.each(codes)('the example of %s is an error with a message, as its code creates it', (code) => {
  const example = createExample(code)
  expect(example).toBeInstanceOf(MockError)
  expect(example.code).toBe(code)
  expect(example.message).toMatch(/^\S.*[.\n]/)
  expect(example.message).not.toContain('undefined')
  expect(example.hint ?? '').not.toContain('undefined')
  // It names something wherever it quotes.
  expect(JSON.stringify(example)).not.toMatch(/''|projects\/\//)
})

it('errors that only occur with a behavior, a fault or tokens say so', () => {
  const conditional = codes.filter((code) => errorDefinitions[code].condition !== undefined).toSorted()
  expect(conditional.join(' ')).toBe(
    'cursorDeleted emailTaken idempotencyKeyInvalid idempotencyKeyReused injectedFault invoiceNotFound ' +
      'notAcceptable projectNotFound rateLimited tokenExpired tokenInvalid tokenNotForProject',
  )
})
