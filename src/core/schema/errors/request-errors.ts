import { defineError, type ErrorContent, type RoutePrefixes } from '../error-definition.ts'
import { formatProblems, type Problem, quote, quoteName } from '../problem.ts'
import { shorten } from '../text.ts'
import { sandboxNameForm, splitPrefix } from '../url.ts'
import { describeCursor, describeUnknownId, type UnknownId, type WrongCursor } from './unknown-id.ts'

const tokenHint =
  "Send 'Authorization: Bearer <admin token>', with `connect(url, { adminToken })` or --admin-token; the token is set with PAYLINK_MOCK_ADMIN_TOKEN."

export const formatKnown = (label: string, knownIds: readonly string[], none: string): string =>
  knownIds.length === 0 ? none : `${label}: ${knownIds.map((id) => shorten(id, 100)).join(', ')}.`

const malformedRequests = {
  notHttp: { message: 'The request is not valid HTTP.' },
  notUrl: {
    message: 'The Host header and the path do not form a valid URL.',
    hint: "Send a Host such as 'localhost:4600', and a path that starts with '/'.",
  },
  noHost: { message: 'The Host header is missing or empty.', hint: "Send one 'Host' header." },
  severalHosts: { message: 'The request has several Host headers.', hint: "Send one 'Host' header." },
  undecodablePath: {
    message: 'The path cannot be decoded.',
    hint: "Send percent-encoded UTF-8, and '%25' for a percent sign.",
  },
}

/** `what` starts the message if there are several problems: `The request body`. */
export interface ProblemReport {
  readonly what: string
  readonly problems: readonly Problem[]
}

export const describeReport = (report: ProblemReport | ErrorContent): ErrorContent =>
  'problems' in report ? { message: formatProblems(report.what, report.problems), details: report.problems } : report

const malformedBodies = {
  empty: { message: 'The request body is empty.', hint: 'Send a JSON object.' },
  incomplete: { message: 'The request body is incomplete.', hint: 'Send the whole body.' },
  notUtf8: { message: 'The request body is not UTF-8.', hint: 'Send JSON, encoded as UTF-8.' },
  severalOutcomes: 'outcome must be sent once.',
}

export const requestErrors = {
  tokenMissing: defineError(
    401,
    'No bearer token was sent.',
    (missingToken: { isMalformed: boolean; anyTokenIsValid: boolean }) => ({
      message: `The Authorization header ${missingToken.isMalformed ? 'must have the form `Bearer <token>`' : 'is missing'}.`,
      hint: `Send 'Authorization: Bearer <token>'${missingToken.anyTokenIsValid ? '; any non-empty token is valid here' : ''}.`,
    }),
    { isMalformed: false, anyTokenIsValid: true },
  ),
  tokenInvalid: defineError(
    401,
    { summary: 'The token is not one of the configured tokens.', condition: 'configured tokens' },
    () => ({ hint: "Tokens are configured with --token, or in the seed under 'tokens'." }),
  ),
  tokenExpired: defineError(
    401,
    { summary: 'The token has expired.', condition: 'configured tokens' },
    (expiresAt: string) => ({ hint: `It was valid until ${expiresAt}.` }),
    '2025-01-01T00:00:00.000Z',
  ),
  tokenNotForProject: defineError(
    403,
    {
      summary: 'The token is not valid for this project.',
      condition: 'configured tokens and `wrongProjectToken=403`, the default',
    },
    (project: string) => ({
      message: `The token is not valid for project ${quoteName(project)}.`,
      hint: "The projects of a token are listed in the seed under 'tokens'.",
    }),
    'acme',
  ),
  adminTokenMissing: defineError(401, 'The control API requires a token.', () => ({ hint: tokenHint })),
  adminTokenWrong: defineError(401, 'The admin token is not the configured one.', () => ({ hint: tokenHint })),
  controlApiClosed: defineError(403, 'The control API of a mounted mock is closed.', () => ({
    hint: 'Set the option adminToken of createMock, and send it as a bearer token.',
  })),
  hostNotAllowed: defineError(
    403,
    'The control API is not available under this Host.',
    (rejectedHost: { host: string; name: string } | { paymentPageHost: string }) =>
      'host' in rejectedHost
        ? {
            message: `The control API is not available under the Host ${quoteName(rejectedHost.host)}.`,
            hint: `Use a literal IP address or localhost, or allow the name with --allowed-hosts ${shorten(rejectedHost.name, 100)}.`,
          }
        : `The payment page is not available under the Host ${quoteName(rejectedHost.paymentPageHost)}, which could be a public name. ` +
          'Open it by an IP address or localhost, or allow the name with --public-url or --allowed-hosts.',
    { host: 'mock.example:4600', name: 'mock.example' },
  ),
  originNotAllowed: defineError(
    403,
    'Web pages of another origin may not call the control API.',
    (rejectedOrigin: { origin: string } | { site: string } | { paymentFrom: string }) => {
      if ('paymentFrom' in rejectedOrigin)
        return `A payment can only be posted from its payment page, and this one was posted from ${rejectedOrigin.paymentFrom}. Open the payment page.`
      const calls =
        'origin' in rejectedOrigin
          ? `calls from pages of ${quoteName(rejectedOrigin.origin)}`
          : `${rejectedOrigin.site} calls from pages`
      return { message: `The control API rejects ${calls}.`, hint: 'Call it from a test or with curl.' }
    },
    { origin: 'https://shop.example' },
  ),
  routeNotFound: defineError(
    404,
    'There is no such route.',
    (
      unknownRoute:
        | { method: string; path: string; near: readonly string[]; basePath?: string }
        | { sandbox: string }
        | { onlyForProjects: { method: string; path: string; isPage: boolean } }
        | 'sandboxesAreOff',
    ) =>
      (prefixes: RoutePrefixes) => {
        if (unknownRoute === 'sandboxesAreOff')
          return { message: 'Sandboxes are turned off.', hint: 'Start the mock with --max-sandboxes above 0.' }
        if ('sandbox' in unknownRoute)
          return {
            message: `${quote(`@${unknownRoute.sandbox}`)} is not a valid sandbox name.`,
            hint: `A name has ${sandboxNameForm}, as in /@checkout-1${prefixes.api}/projects/acme/users.`,
          }
        if ('onlyForProjects' in unknownRoute) {
          const { method, path, isPage } = unknownRoute.onlyForProjects
          const [sandbox] = splitPrefix(path)
          return {
            message: `${method} ${shorten(path, 200)} is for all projects, but each project is a separate object here.`,
            hint: isPage
              ? `Open the dashboard of one project: ${sandbox}/__admin/?project={project}`
              : `Call it for one project: ${sandbox}/__admin/projects/{project}/...`,
          }
        }
        const { method, path, near, basePath } = unknownRoute
        const similar = near.map((route) =>
          route.replace('/', () => `${path.startsWith('/__admin') ? prefixes.mock : prefixes.api}/`),
        )
        return {
          message: `No route matches ${method} ${prefixes.mock}${shorten(path, 200)}.`,
          hint:
            explainPrefix(path, basePath, prefixes) ??
            (near.length > 0
              ? `Similar routes: ${similar.join(', ')}.`
              : `GET ${prefixes.mock}/openapi.json lists all routes.`),
        }
      },
    { method: 'GET', path: '/projects/acme/user', near: ['GET /projects/{project}/users'] },
  ),
  projectNotFound: defineError(
    404,
    { summary: 'There is no such project.', condition: '`unknownProject=notFound` or `wrongProjectToken=404`' },
    (unknownProject: { id: string; known?: readonly string[] } | { invalid: readonly Problem[] }) =>
      'invalid' in unknownProject
        ? formatProblems('The project', unknownProject.invalid)
        : {
            message: `No project ${quoteName(unknownProject.id)}.`,
            hint:
              unknownProject.known && formatKnown('Known projects', unknownProject.known, 'There are no projects yet.'),
          },
    { id: 'acme', known: ['shop'] },
  ),
  userNotFound: defineError(404, 'There is no such user.', describeUnknownId, {
    id: 'usr_x',
    project: 'acme',
    text: 'user',
  }),
  paymentLinkNotFound: defineError(
    404,
    'There is no such payment link.',
    (unknownLink: UnknownId | { paymentPage: string; project: string }) =>
      'paymentPage' in unknownLink
        ? `No payment link ${quote(unknownLink.paymentPage)} in project ${quote(unknownLink.project)}. Open the paymentUrl of an existing link.`
        : describeUnknownId(unknownLink),
    { id: 'pml_x', project: 'acme', text: 'payment link' },
  ),
  methodNotAllowed: defineError(
    405,
    'The route exists, with other methods.',
    (rejected: { method: string; path: string; methods: readonly string[] } | 'connect') =>
      ({ mock }: RoutePrefixes) =>
        rejected === 'connect'
          ? {
              message: 'CONNECT is not allowed.',
              hint: 'Use the address as a base URL, not as a proxy.',
              headers: { allow: '' },
            }
          : {
              message: `${rejected.method} is not allowed for ${mock}${shorten(rejected.path, 200)}.`,
              hint: `The allowed methods are ${rejected.methods.join(', ')}.`,
              headers: { allow: rejected.methods.join(', ') },
            },
    { method: 'PUT', path: '/projects/acme/users', methods: ['POST', 'GET', 'HEAD', 'OPTIONS'] },
  ),
  notAcceptable: defineError(
    406,
    { summary: 'The Accept header does not allow JSON.', condition: '`requestHeaders=required`' },
    (accept: string) => ({
      message: `The Accept header must allow application/json (got ${quoteName(accept)}).`,
      hint: "Send 'Accept: application/json'.",
    }),
    'text/html',
  ),
  malformedRequest: defineError(
    400,
    'The request cannot be parsed.',
    (reason: keyof typeof malformedRequests | { segment: string }) =>
      typeof reason === 'string'
        ? malformedRequests[reason]
        : {
            message: `${quoteName(reason.segment)} in the path cannot be decoded, so it is not the name of a project.`,
            hint: 'Percent-encode the name of the project as UTF-8.',
          },
    'undecodablePath',
  ),
  requestTimeout: defineError(408, 'The request took too long to arrive.'),
  expectationFailed: defineError(
    417,
    'The Expect header is not 100-continue.',
    (expect: string) => ({
      message: `The Expect header must be 100-continue (got ${quoteName(expect)}).`,
      hint: 'Omit it.',
    }),
    '200-ok',
  ),
  headersTooLarge: defineError(
    431,
    'The request headers are too large.',
    (max: number) => `The request line and headers must be at most ${max} bytes.`,
    16_384,
  ),
  invalidQuery: defineError(400, 'A query parameter is invalid.', describeReport, {
    what: 'The query',
    problems: [{ path: 'limit', message: "limit must be an integer from 0 to 200 (got 'ten')." }],
  }),
  cursorNotFound: defineError(
    400,
    'A cursor is not the id of a record of this list.',
    (cursor: WrongCursor) =>
      describeCursor(
        cursor,
        `No ${cursor.text} ${quoteName(cursor.id)} in project ${quoteName(cursor.project)} to list from.`,
      ),
    { name: 'after', id: 'usr_x', project: 'acme', text: 'user' },
  ),
  cursorDeleted: defineError(
    400,
    { summary: 'A cursor is the id of a deleted record.', condition: '`deletedCursor=reject`, the default' },
    (cursor: WrongCursor) =>
      describeCursor(
        cursor,
        `The ${cursor.text} ${quoteName(cursor.id)} of project ${quoteName(cursor.project)} was deleted, so it is not a valid cursor.`,
      ),
    { name: 'after', id: 'usr_x', project: 'acme', text: 'user', reason: { is: 'deleted' } },
  ),
  bodyTooLarge: defineError(
    413,
    'The request body is too large.',
    (limit: number, bodyKind: 'request' | 'state' = 'request') => ({
      message: `The request body must be at most ${limit} bytes.`,
      // `--body-limit` does not apply to the control API.
      hint:
        bodyKind === 'state'
          ? 'Start with a seed file, or let `generate` create the records.'
          : 'The limit is set with --body-limit.',
    }),
    1_048_576,
    'request',
  ),
  unsupportedMediaType: defineError(
    415,
    'The request body is not sent as JSON.',
    (bodyType: { contentType: string } | { coding: string } | { form: string; got: string }) => {
      if ('form' in bodyType) return `The form must be sent as ${bodyType.form} (got ${quote(bodyType.got)}).`
      if ('contentType' in bodyType)
        return {
          message: `The request body must be sent as JSON (got ${quoteName(bodyType.contentType)}).`,
          hint: "Send 'Content-type: application/json'.",
        }
      const message = `The request body must not have a Content-Encoding (got ${quoteName(bodyType.coding)}).`
      const details = [{ path: 'headers.content-encoding', message }]
      return { message, hint: "Leave 'Content-Encoding' out.", details }
    },
    { contentType: 'text/plain' },
  ),
  malformedBody: defineError(
    400,
    'The request body is not valid JSON.',
    (
      bodyFault:
        | keyof typeof malformedBodies
        | { text: string | undefined }
        | { maxDepth: number }
        | { outcome: string | undefined },
    ) => {
      if (typeof bodyFault === 'string') return malformedBodies[bodyFault]
      if ('text' in bodyFault) {
        const gotText = bodyFault.text === undefined ? '' : ` (got ${shorten(bodyFault.text, 40)})`
        return { message: `The request body is not valid JSON${gotText}.`, hint: 'Send a JSON object.' }
      }
      if ('maxDepth' in bodyFault)
        return {
          message: `The request body nests deeper than ${bodyFault.maxDepth} levels.`,
          hint: 'Send flatter JSON.',
        }
      return bodyFault.outcome === undefined
        ? "outcome is required: 'succeeded' or 'failed'."
        : `outcome must be 'succeeded' or 'failed' (got ${quote(bodyFault.outcome)}).`
    },
    { text: '{"email":' },
  ),
  invalidBody: defineError(422, 'The request body is JSON but violates the schema.', describeReport, {
    what: 'The request body',
    problems: [{ path: 'email', message: 'email is required.' }],
  }),
}

const explainPrefix = (path: string, mockBasePath: string | undefined, { mock }: RoutePrefixes): string | undefined => {
  const beforeAdmin = /^(.+)\/__admin(?:\/|$)/s.exec(path)?.[1]
  if (beforeAdmin?.startsWith('/@')) return 'A sandbox has no sandboxes.'
  if (beforeAdmin !== undefined)
    return `The routes of the control API start with ${mock}/__admin, also with a base path. Pass connect the address without ${quote(beforeAdmin)}.`
  const sentBasePath = /^(.*?)\/projects(?:\/|$)/s.exec(path)?.[1]
  if (sentBasePath === undefined || mockBasePath === undefined) return undefined
  if (mockBasePath !== '')
    return `The base path of the mock is ${mockBasePath}: its routes start with ${mock}${mockBasePath}/projects.`
  return sentBasePath.length <= 100 && /^(?:\/[\w.~-]+)+$/.test(sentBasePath)
    ? `The mock has no base path. Set it with --base-path ${sentBasePath}, or with the option basePath: '${sentBasePath}'.`
    : `The mock has no base path: its routes start with ${mock}/projects.`
}
