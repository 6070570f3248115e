import { expect, it } from 'vitest'
import { createExample, errorDefinitions, errors, MockError, type ErrorCode } from '../../src/schema/error.ts'

const user = { id: 'usr_x', project: 'acme', text: 'user' }
const limit = { path: 'limit', message: 'limit must be an integer.' }
const failed = {
  claim: 'createUser was expected once and was never seen',
  expected: { exactly: 1 },
  actual: 0,
  nearMisses: [],
}
const near = { method: 'POST', path: '/projects/acme/users', status: 422, differences: ['a', 'b'] }
const violation = { operation: 'createUser', spec: '§4.1', path: 'email', message: 'email is required.' }

/** All messages and hints. Other tests compare codes and paths. */
const rows: readonly (readonly [error: MockError, message: string, hint?: string])[] = [
  [
    errors.tokenMissing({ isMalformed: false, anyTokenIsValid: true }),
    'The Authorization header is missing.',
    "Send 'Authorization: Bearer <token>'; any non-empty token is valid here.",
  ],
  [
    errors.tokenMissing({ isMalformed: true, anyTokenIsValid: false }),
    'The Authorization header must have the form `Bearer <token>`.',
    "Send 'Authorization: Bearer <token>'.",
  ],
  [
    errors.tokenInvalid(),
    'The token is not one of the configured tokens.',
    "Tokens are configured with --token, or in the seed under 'tokens'.",
  ],
  [
    errors.tokenExpired('2025-01-01T00:00:00.000Z'),
    'The token has expired.',
    'It was valid until 2025-01-01T00:00:00.000Z.',
  ],
  [
    errors.tokenNotForProject('acme'),
    "The token is not valid for project 'acme'.",
    "The projects of a token are listed in the seed under 'tokens'.",
  ],
  [
    errors.adminTokenMissing(),
    'The control API requires a token.',
    "Send 'Authorization: Bearer <admin token>', with `connect(url, { adminToken })`; the token is set with PAYLINK_MOCK_ADMIN_TOKEN.",
  ],
  [
    errors.adminTokenWrong(),
    'The admin token is not the configured one.',
    "Send 'Authorization: Bearer <admin token>', with `connect(url, { adminToken })`; the token is set with PAYLINK_MOCK_ADMIN_TOKEN.",
  ],
  [
    errors.hostNotAllowed({ host: 'mock.example:80', name: 'mock.example' }),
    "The control API is not available under the Host 'mock.example:80'.",
    'Use a literal IP address or localhost, or allow the name with --allowed-hosts mock.example.',
  ],
  [
    errors.hostNotAllowed({ paymentPageHost: 'mock.example' }),
    "The payment page is not available under the Host 'mock.example', which could be a public name. Open it by an IP address or localhost, or allow the name with --public-url or --allowed-hosts.",
  ],
  [
    errors.originNotAllowed({ origin: 'https://shop.example' }),
    "The control API rejects calls from pages of 'https://shop.example'.",
    'Call it from a test or with curl.',
  ],
  [
    errors.originNotAllowed({ site: 'cross-site' }),
    'The control API rejects cross-site calls from pages.',
    'Call it from a test or with curl.',
  ],
  [
    errors.originNotAllowed({ paymentFrom: 'a page that hides its origin' }),
    'A payment can only be posted from its payment page, and this one was posted from a page that hides its origin. Open the payment page.',
  ],
  [
    errors.routeNotFound({ method: 'GET', path: '/x', near: ['GET /y', 'POST /y'] }),
    'No route matches GET /x.',
    'Similar routes: GET /y, POST /y.',
  ],
  [
    errors.routeNotFound({ method: 'GET', path: '/x', near: [] }),
    'No route matches GET /x.',
    'GET /openapi.json lists all routes.',
  ],
  [
    errors.routeNotFound({ method: 'GET', path: '/v1/projects', near: [], basePath: '' }),
    'No route matches GET /v1/projects.',
    "The mock has no base path. Set it with --base-path /v1, or with the option basePath: '/v1'.",
  ],
  [
    errors.routeNotFound({ method: 'GET', path: '/a b/projects', near: [], basePath: '' }),
    'No route matches GET /a b/projects.',
    'The mock has no base path: its routes start with /projects.',
  ],
  [
    errors.routeNotFound({ method: 'GET', path: '/projects', near: [], basePath: '/v1' }),
    'No route matches GET /projects.',
    'The base path of the mock is /v1: its routes start with /v1/projects.',
  ],
  [
    errors.routeNotFound({ sandbox: 'a b' }),
    "'@a b' is not a valid sandbox name.",
    "A name has 1 to 64 letters, digits, '-', '_', '.' or '~', as in /@checkout-1/projects/acme/users.",
  ],
  [
    errors.routeNotFound({ onlyForProjects: { method: 'GET', path: '/__admin/', isPage: true } }),
    'GET /__admin/ is for all projects, but each project is a separate object here.',
    'Open the dashboard of one project: /__admin/?project={project}',
  ],
  [
    errors.routeNotFound({ onlyForProjects: { method: 'GET', path: '/__admin/faults', isPage: false } }),
    'GET /__admin/faults is for all projects, but each project is a separate object here.',
    'Call it for one project: /__admin/projects/{project}/...',
  ],
  [
    errors.routeNotFound('sandboxesAreOff'),
    'Sandboxes are turned off.',
    'Start the mock with --max-sandboxes above 0.',
  ],
  [errors.projectNotFound({ id: 'acme' }), "No project 'acme'."],
  [errors.projectNotFound({ id: 'acme', known: [] }), "No project 'acme'.", 'There are no projects yet.'],
  [
    errors.projectNotFound({ id: 'acme', known: ['shop', 'test'] }),
    "No project 'acme'.",
    'Known projects: shop, test.',
  ],
  [
    errors.projectNotFound({ invalid: [{ path: 'project', message: 'project must not be empty.' }] }),
    'project must not be empty.',
  ],
  [errors.userNotFound(user), "No user 'usr_x' in project 'acme'."],
  [
    errors.userNotFound({ ...user, reason: { is: 'deleted' } }),
    "No user 'usr_x' in project 'acme'.",
    'The user was deleted.',
  ],
  [
    errors.userNotFound({ ...user, reason: { is: 'otherProject', project: 'shop' } }),
    "No user 'usr_x' in project 'acme'.",
    "It belongs to project 'shop'.",
  ],
  [
    errors.userNotFound({ ...user, reason: { is: 'otherPrefix', prefix: 'usr' } }),
    "No user 'usr_x' in project 'acme'.",
    "Ids of users start with 'usr_'.",
  ],
  [
    errors.userNotFound({
      ...user,
      id: 'pml_1',
      reason: { is: 'otherKind', prefix: 'pml', text: 'payment link', path: 'paymentLinks' },
    }),
    "No user 'pml_1' in project 'acme'.",
    "An id that starts with 'pml_' belongs to a payment link: see /projects/acme/paymentLinks.",
  ],
  [
    errors.paymentLinkNotFound({ ...user, text: 'payment link', id: 'pml_x' }),
    "No payment link 'pml_x' in project 'acme'.",
  ],
  [
    errors.paymentLinkNotFound({ paymentPage: 'pml_x', project: 'acme' }),
    "No payment link 'pml_x' in project 'acme'. Open the paymentUrl of an existing link.",
  ],
  [
    errors.methodNotAllowed({ method: 'PUT', path: '/x', methods: ['GET', 'HEAD', 'OPTIONS'] }),
    'PUT is not allowed for /x.',
    'The allowed methods are GET, HEAD, OPTIONS.',
  ],
  [
    errors.controlApiClosed(),
    'The control API of a mounted mock is closed.',
    'Set the option adminToken of createMock, and send it as a bearer token.',
  ],
  [
    errors.notAcceptable('text/html'),
    "The Accept header must allow application/json (got 'text/html').",
    "Send 'Accept: application/json'.",
  ],
  [errors.malformedRequest('notHttp'), 'The request is not valid HTTP.'],
  [
    errors.malformedRequest('notUrl'),
    'The Host header and the path do not form a valid URL.',
    "Send one 'Host' header, and a path that starts with '/'.",
  ],
  [
    errors.malformedRequest('undecodablePath'),
    'The path cannot be decoded.',
    "Send percent-encoded UTF-8, and '%25' for a percent sign.",
  ],
  [
    errors.malformedRequest({ segment: '%FF' }),
    "'%FF' in the path cannot be decoded, so it is not the name of a project.",
    'Percent-encode the name of the project as UTF-8.',
  ],
  [errors.requestTimeout(), 'The request took too long to arrive.'],
  [errors.headersTooLarge(16_384), 'The request line and headers must be at most 16384 bytes.'],
  [errors.invalidQuery({ what: 'The query', problems: [limit] }), 'limit must be an integer.'],
  [errors.cursorNotFound({ ...user, name: 'after' }), "No user 'usr_x' in project 'acme' to list from."],
  [
    errors.cursorDeleted({ ...user, name: 'before', reason: { is: 'deleted' } }),
    "The user 'usr_x' of project 'acme' was deleted, so it is not a valid cursor.",
    'The user was deleted.',
  ],
  [errors.bodyTooLarge(1024), 'The request body must be at most 1024 bytes.', 'The limit is set with --body-limit.'],
  [
    errors.bodyTooLarge(1024, 'state'),
    'The request body must be at most 1024 bytes.',
    'Start with a seed file, or let `generate` create the records.',
  ],
  [
    errors.unsupportedMediaType({ contentType: 'text/plain' }),
    "The request body must be sent as JSON (got 'text/plain').",
    "Send 'Content-type: application/json'.",
  ],
  [
    errors.unsupportedMediaType({ coding: 'gzip' }),
    "The request body must not have a Content-Encoding (got 'gzip').",
    "Leave 'Content-Encoding' out.",
  ],
  [
    errors.unsupportedMediaType({ form: 'application/x-www-form-urlencoded', got: 'text/plain' }),
    "The form must be sent as application/x-www-form-urlencoded (got 'text/plain').",
  ],
  [errors.malformedBody('empty'), 'The request body is empty.', 'Send a JSON object.'],
  [errors.malformedBody('incomplete'), 'The request body is incomplete.', 'Send the whole body.'],
  [errors.malformedBody('notUtf8'), 'The request body is not UTF-8.', 'Send JSON, encoded as UTF-8.'],
  [errors.malformedBody('severalOutcomes'), 'outcome must be sent once.'],
  [
    errors.malformedBody({ text: '{"email":' }),
    'The request body is not valid JSON (got {"email":).',
    'Send a JSON object.',
  ],
  [errors.malformedBody({ text: undefined }), 'The request body is not valid JSON.', 'Send a JSON object.'],
  [errors.malformedBody({ maxDepth: 100 }), 'The request body nests deeper than 100 levels.', 'Send flatter JSON.'],
  [errors.malformedBody({ outcome: undefined }), "outcome is required: 'succeeded' or 'failed'."],
  [errors.malformedBody({ outcome: 'maybe' }), "outcome must be 'succeeded' or 'failed' (got 'maybe')."],
  [
    errors.invalidBody({
      what: 'The request body',
      problems: [limit, { path: 'email', message: 'email is required.' }],
    }),
    'The request body has 2 problems: limit must be an integer; email is required.',
  ],
  [errors.invalidBody({ message: 'This command has no request body.' }), 'This command has no request body.'],
  [errors.idempotencyKeyInvalid(255, 256), 'The Idempotency-Key header must have 1 to 255 characters (got 256).'],
  [
    errors.idempotencyKeyReused('order-1'),
    "The Idempotency-Key 'order-1' was sent before, with another body.",
    'Send a new key with each new request.',
  ],
  [
    errors.invoiceNotFound({ invoice: 'inv_x', project: 'acme' }),
    "No invoice 'inv_x' in project 'acme'.",
    "The seed lists its invoices under 'projects.acme.invoices'.",
  ],
  [
    errors.paymentLinkNotActive({ id: 'pml_x', status: 'canceled' }, 'paid'),
    "Payment link 'pml_x' cannot be paid: it is canceled.",
    'Only an active link can be paid or canceled.',
  ],
  [
    errors.emailTaken({ id: 'usr_x', project: 'acme', email: 'ada@example.com', sent: 'Ada@example.com' }),
    "User 'usr_x' of project 'acme' has the email 'ada@example.com'.",
  ],
  [
    errors.snapshotNotFound({ name: 'paid', project: undefined, known: [] }),
    "No snapshot 'paid'.",
    'No snapshot has been saved.',
  ],
  [
    errors.snapshotNotFound({ name: 'paid', project: 'acme', known: ['a', 'b'] }),
    "No snapshot 'paid' of project 'acme'.",
    'Saved snapshots: a, b.',
  ],
  [
    errors.tooManySnapshots('acme', 20),
    "Project 'acme' already has 20 snapshots.",
    'Delete a snapshot, or save under the name of one.',
  ],
  [errors.scheduledPaymentNotFound({ paymentLink: 'pml_x' }), "No scheduled payment for payment link 'pml_x'."],
  [
    errors.scheduledPaymentNotFound({ paymentLink: 'pml_x', project: 'acme' }),
    "No scheduled payment for payment link 'pml_x' in project 'acme'.",
  ],
  [errors.sandboxNotFound({ name: 'checkout-1' }), "No sandbox 'checkout-1'."],
  [errors.sandboxNotFound('inSandbox'), 'A sandbox has no sandboxes.', 'Call /__admin/sandboxes, without /@name.'],
  [
    errors.tooManySandboxes(1),
    'All sandboxes are in use: the maximum is 1.',
    'Delete sandboxes with DELETE /__admin/sandboxes, or raise --max-sandboxes.',
  ],
  [errors.requestNotFound('req_x'), "No request 'req_x' in the journal."],
  [errors.faultNotFound('flt_x', []), "No fault 'flt_x'.", 'There are no faults.'],
  [errors.faultNotFound('flt_x', ['flt_a', 'flt_b']), "No fault 'flt_x'.", 'Known faults: flt_a, flt_b.'],
  [errors.verificationFailed(failed), 'createUser was expected once and was never seen.'],
  [
    errors.verificationFailed({ ...failed, nearMisses: [near] }),
    'createUser was expected once and was never seen. The nearest request: POST /projects/acme/users (422), where a; b.',
  ],
  [
    errors.verificationFailed({ ...failed, nearMisses: [{ ...near, status: null }] }),
    'createUser was expected once and was never seen. The nearest request: POST /projects/acme/users (no response), where a; b.',
  ],
  [errors.verificationFailed({ unusedFaults: ['One.', 'Another.'] }), 'One.\nAnother.'],
  [
    errors.journalTruncated(failed, 1),
    'createUser was expected once and was never seen, but 1 older request was dropped.',
    'Raise --journal-size, or clear the requests before the part to verify.',
  ],
  [
    errors.journalTruncated(failed, 2),
    'createUser was expected once and was never seen, but 2 older requests were dropped.',
    'Raise --journal-size, or clear the requests before the part to verify.',
  ],
  [
    errors.violationsFound([violation], 0),
    'Clients sent requests that violate the specification.\ncreateUser: email is required. (§4.1)',
  ],
  [
    errors.violationsFound([{ ...violation, operation: null }], 3),
    'Clients sent requests that violate the specification.\nno operation: email is required. (§4.1)\nand 3 more',
  ],
  [
    errors.idTaken({ id: 'usr_x', text: 'user', project: 'acme' }),
    "The id 'usr_x' belongs to another user of project 'acme'.",
    'Omit the id, or change the record with PATCH.',
  ],
  [errors.invalidOptions({ what: 'createMock', problems: [limit] }), 'limit must be an integer.'],
  [
    errors.stateUnreadable({ project: 'acme', path: '/__admin/projects/acme' }),
    "The stored state of project 'acme' cannot be loaded: it is damaged, or another version of the mock wrote it.",
    'Replace it with POST /__admin/projects/acme/reset or PUT /__admin/projects/acme/state, or DELETE /__admin/projects/acme.',
  ],
  [
    errors.stateUnreadable({ project: 'acme', snapshot: 'paid', cause: undefined }),
    "The snapshot 'paid' of project 'acme' cannot be loaded: it is damaged.",
    'Delete it, or save it again.',
  ],
  [errors.stateReplaced({ project: 'acme' }), "The state of project 'acme' was replaced during the request."],
  [errors.stateReplaced('sandbox'), 'The sandbox was deleted during the request.'],
  [
    errors.rateLimited({ project: 'a b', limit: 1, wait: 1000, mode: 'frozen' }),
    "Project 'a b' exceeded its rate limit of 1 request.",
    'The next window starts in 1000 ms of the mock clock. That clock is frozen: advance it with POST /__admin/projects/a%20b/clock/advance.',
  ],
  [
    errors.rateLimited({ project: 'acme', limit: 2, wait: 1000, mode: 'real' }),
    "Project 'acme' exceeded its rate limit of 2 requests.",
    'The next window starts in 1000 ms of the mock clock.',
  ],
  [errors.injectedFault(418), 'A fault responds with status 418.', 'A test created it: GET /__admin/faults shows it.'],
  [errors.shuttingDown(), 'The server is stopping.'],
  [errors.internal(), 'The request failed because of a bug in the mock.', 'The log shows the error. Please report it.'],
]

const codes = Object.keys(errorDefinitions) as readonly ErrorCode[]

it('each error has its message and its hint', () => {
  const texts = rows.map(([{ code, message, hint }]) => [code, message, hint])

  expect(texts).toEqual(rows.map(([{ code }, message, hint]) => [code, message, hint]))
})

it('each code has a row', () => {
  const covered = new Set(rows.map(([{ code }]) => code))

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
  const conditional = Object.entries(errorDefinitions).filter(([, { condition }]) => condition !== undefined)
  expect(
    conditional
      .map(([code]) => code)
      .toSorted()
      .join(' '),
  ).toBe(
    'cursorDeleted emailTaken idempotencyKeyInvalid idempotencyKeyReused injectedFault invoiceNotFound ' +
      'notAcceptable projectNotFound rateLimited tokenExpired tokenInvalid tokenNotForProject',
  )
})
