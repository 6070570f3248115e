import { defineError, type ErrorContent, type RoutePrefixes } from '../error-definition.ts'
import { formatProblems, type Problem, quote, quoteName } from '../problem.ts'
import { shorten } from '../text.ts'
import { sandboxNameForm } from '../url.ts'
import { describeCursor, describeUnknownId, type UnknownId, type WrongCursor } from './unknown-id.ts'

const tokenHint =
  "Send 'Authorization: Bearer <admin token>', with `connect(url, { adminToken })` or --admin-token; the token is set with PAYLINK_MOCK_ADMIN_TOKEN."

/** Lists the existing things of a kind, for an unknown one. */
export const formatKnown = (name: string, known: readonly string[], none: string): string =>
  known.length === 0 ? none : `${name}: ${known.map((one) => shorten(one, 100)).join(', ')}.`

const malformedRequests = {
  notHttp: { message: 'The request is not valid HTTP.' },
  notUrl: {
    message: 'The Host header and the path do not form a valid URL.',
    hint: "Send one 'Host' header, and a path that starts with '/'.",
  },
  undecodablePath: {
    message: 'The path cannot be decoded.',
    hint: "Send percent-encoded UTF-8, and '%25' for a percent sign.",
  },
}

/** The problems of a value. `what` starts the message if there are several: `The request body`. */
export interface ProblemReport {
  readonly what: string
  readonly problems: readonly Problem[]
}

/** Describes problems whose messages belong to their checks, or a single problem of the whole value. */
export const describeReport = (report: ProblemReport | ErrorContent): ErrorContent =>
  'problems' in report ? { message: formatProblems(report.what, report.problems), details: report.problems } : report

const malformedBodies = {
  empty: { message: 'The request body is empty.', hint: 'Send a JSON object.' },
  incomplete: { message: 'The request body is incomplete.', hint: 'Send the whole body.' },
  notUtf8: { message: 'The request body is not UTF-8.', hint: 'Send JSON, encoded as UTF-8.' },
  severalOutcomes: 'outcome must be sent once.',
}

/** The errors of tokens, paths, headers, queries and bodies, by code. */
export const requestErrors = {
  tokenMissing: defineError(
    401,
    'No bearer token was sent.',
    (sent: { isMalformed: boolean; anyTokenIsValid: boolean }) => ({
      message: `The Authorization header ${sent.isMalformed ? 'must have the form `Bearer <token>`' : 'is missing'}.`,
      hint: `Send 'Authorization: Bearer <token>'${sent.anyTokenIsValid ? '; any non-empty token is valid here' : ''}.`,
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
    (sent: { host: string; name: string } | { paymentPageHost: string }) =>
      'host' in sent
        ? {
            message: `The control API is not available under the Host ${quoteName(sent.host)}.`,
            hint: `Use a literal IP address or localhost, or allow the name with --allowed-hosts ${shorten(sent.name, 100)}.`,
          }
        : `The payment page is not available under the Host ${quoteName(sent.paymentPageHost)}, which could be a public name. ` +
          'Open it by an IP address or localhost, or allow the name with --public-url or --allowed-hosts.',
    { host: 'mock.example:4600', name: 'mock.example' },
  ),
  originNotAllowed: defineError(
    403,
    'Web pages of another origin may not call the control API.',
    (sent: { origin: string } | { site: string } | { paymentFrom: string }) => {
      if ('paymentFrom' in sent)
        return `A payment can only be posted from its payment page, and this one was posted from ${sent.paymentFrom}. Open the payment page.`
      const calls = 'origin' in sent ? `calls from pages of ${quoteName(sent.origin)}` : `${sent.site} calls from pages`
      return { message: `The control API rejects ${calls}.`, hint: 'Call it from a test or with curl.' }
    },
    { origin: 'https://shop.example' },
  ),
  routeNotFound: defineError(
    404,
    'There is no such route.',
    (
      sent:
        | {
            method: string
            path: string
            near: readonly string[]
            basePath?: string
          }
        | { sandbox: string }
        | { onlyForProjects: { method: string; path: string; isPage: boolean } }
        | 'sandboxesAreOff',
    ) =>
      (at: RoutePrefixes) => {
        if (sent === 'sandboxesAreOff')
          return { message: 'Sandboxes are turned off.', hint: 'Start the mock with --max-sandboxes above 0.' }
        if ('sandbox' in sent)
          return {
            message: `${quote(`@${sent.sandbox}`)} is not a valid sandbox name.`,
            hint: `A name has ${sandboxNameForm}, as in /@checkout-1${at.api}/projects/acme/users.`,
          }
        if ('onlyForProjects' in sent) {
          const { method, path, isPage } = sent.onlyForProjects
          const sandbox = /^\/@[^/]+/.exec(path)?.[0] ?? ''
          return {
            message: `${method} ${shorten(path, 200)} is for all projects, but each project is a separate object here.`,
            hint: isPage
              ? `Open the dashboard of one project: ${sandbox}/__admin/?project={project}`
              : `Call it for one project: ${sandbox}/__admin/projects/{project}/...`,
          }
        }
        const { method, path, near, basePath } = sent
        const similar = near.map((route) =>
          route.replace('/', () => `${path.startsWith('/__admin') ? at.mock : at.api}/`),
        )
        return {
          message: `No route matches ${method} ${at.mock}${shorten(path, 200)}.`,
          hint:
            explainPrefix(path, basePath, at) ??
            (near.length > 0
              ? `Similar routes: ${similar.join(', ')}.`
              : `GET ${at.mock}/openapi.json lists all routes.`),
        }
      },
    { method: 'GET', path: '/projects/acme/user', near: ['GET /projects/{project}/users'] },
  ),
  projectNotFound: defineError(
    404,
    { summary: 'There is no such project.', condition: '`unknownProject=notFound` or `wrongProjectToken=404`' },
    (sent: { id: string; known?: readonly string[] } | { invalid: readonly Problem[] }) =>
      'invalid' in sent
        ? formatProblems('The project', sent.invalid)
        : {
            message: `No project ${quoteName(sent.id)}.`,
            hint: sent.known && formatKnown('Known projects', sent.known, 'There are no projects yet.'),
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
    (sent: UnknownId | { paymentPage: string; project: string }) =>
      'paymentPage' in sent
        ? `No payment link ${quote(sent.paymentPage)} in project ${quote(sent.project)}. Open the paymentUrl of an existing link.`
        : describeUnknownId(sent),
    { id: 'pml_x', project: 'acme', text: 'payment link' },
  ),
  methodNotAllowed: defineError(
    405,
    'The route exists, with other methods.',
    ({ method, path, methods }: { method: string; path: string; methods: readonly string[] }) =>
      ({ mock }: RoutePrefixes) => ({
        message: `${method} is not allowed for ${mock}${shorten(path, 200)}.`,
        hint: `The allowed methods are ${methods.join(', ')}.`,
      }),
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
    (limit: number, of: 'request' | 'state' = 'request') => ({
      message: `The request body must be at most ${limit} bytes.`,
      // `--body-limit` does not apply to the control API.
      hint:
        of === 'state'
          ? 'Start with a seed file, or let `generate` create the records.'
          : 'The limit is set with --body-limit.',
    }),
    1_048_576,
    'request',
  ),
  unsupportedMediaType: defineError(
    415,
    'The request body is not sent as JSON.',
    (sent: { contentType: string } | { coding: string } | { form: string; got: string }) => {
      if ('form' in sent) return `The form must be sent as ${sent.form} (got ${quote(sent.got)}).`
      if ('contentType' in sent)
        return {
          message: `The request body must be sent as JSON (got ${quoteName(sent.contentType)}).`,
          hint: "Send 'Content-type: application/json'.",
        }
      const message = `The request body must not have a Content-Encoding (got ${quoteName(sent.coding)}).`
      const details = [{ path: 'headers.content-encoding', message }]
      return { message, hint: "Leave 'Content-Encoding' out.", details }
    },
    { contentType: 'text/plain' },
  ),
  malformedBody: defineError(
    400,
    'The request body is not valid JSON.',
    (
      sent:
        | keyof typeof malformedBodies
        | { text: string | undefined }
        | { maxDepth: number }
        | { outcome: string | undefined },
    ) => {
      if (typeof sent === 'string') return malformedBodies[sent]
      if ('text' in sent) {
        const got = sent.text === undefined ? '' : ` (got ${shorten(sent.text, 40)})`
        return { message: `The request body is not valid JSON${got}.`, hint: 'Send a JSON object.' }
      }
      if ('maxDepth' in sent)
        return { message: `The request body nests deeper than ${sent.maxDepth} levels.`, hint: 'Send flatter JSON.' }
      return sent.outcome === undefined
        ? "outcome is required: 'succeeded' or 'failed'."
        : `outcome must be 'succeeded' or 'failed' (got ${quote(sent.outcome)}).`
    },
    { text: '{"email":' },
  ),
  invalidBody: defineError(422, 'The request body is JSON but violates the schema.', describeReport, {
    what: 'The request body',
    problems: [{ path: 'email', message: 'email is required.' }],
  }),
}

/** Explains a path with a wrong prefix. @param own the base path of the mock */
const explainPrefix = (path: string, own: string | undefined, { mock }: RoutePrefixes): string | undefined => {
  const beforeAdmin = /^(.+)\/__admin(?:\/|$)/s.exec(path)?.[1]
  if (beforeAdmin?.startsWith('/@')) return 'A sandbox has no sandboxes.'
  if (beforeAdmin !== undefined)
    return `The routes of the control API start with ${mock}/__admin, also with a base path. Pass connect the address without ${quote(beforeAdmin)}.`
  const sent = /^(.*?)\/projects(?:\/|$)/s.exec(path)?.[1]
  if (sent === undefined || own === undefined) return undefined
  if (own !== '') return `The base path of the mock is ${own}: its routes start with ${mock}${own}/projects.`
  return sent.length <= 100 && /^(?:\/[\w.~-]+)+$/.test(sent)
    ? `The mock has no base path. Set it with --base-path ${sent}, or with the option basePath: '${sent}'.`
    : `The mock has no base path: its routes start with ${mock}/projects.`
}
