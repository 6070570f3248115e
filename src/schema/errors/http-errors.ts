import { defineError, type ErrorContent } from '../error-definition.ts'
import { formatProblems, type Problem, quote } from '../problem.ts'
import { sandboxNameForm } from '../url.ts'

const tokenHint = "Send 'Authorization: Bearer <admin token>'; the token is set with PAYLINK_MOCK_ADMIN_TOKEN."

/** An unknown id, and why it is unknown. */
export interface UnknownId {
  readonly id: string
  readonly project: string
  /** The name of the kind of record: `payment link`. */
  readonly text: string
  readonly reason?:
    | { readonly is: 'deleted' }
    | { readonly is: 'otherKind'; readonly prefix: string; readonly text: string; readonly path: string }
    | { readonly is: 'otherProject'; readonly project: string }
    | { readonly is: 'otherPrefix'; readonly prefix: string }
    | undefined
}

/** Returns the hint for an id that no record has. */
export const explainReason = ({ text, project, reason }: UnknownId): string | undefined => {
  switch (reason?.is) {
    case 'deleted':
      return `The ${text} was deleted.`
    case 'otherKind':
      return `An id that starts with '${reason.prefix}_' belongs to a ${reason.text}: see /projects/${project}/${reason.path}.`
    case 'otherProject':
      return `It belongs to project '${reason.project}'.`
    case 'otherPrefix':
      return `Ids of ${text}s start with '${reason.prefix}_'.`
    case undefined:
      return undefined
  }
}

const describeUnknownId = (unknown: UnknownId): ErrorContent => ({
  message: `No ${unknown.text} '${unknown.id}' in project '${unknown.project}'.`,
  hint: explainReason(unknown),
})

const projectsHint = (known: readonly string[]) =>
  known.length === 0 ? 'There are no projects yet.' : `Known projects: ${known.join(', ')}.`

const malformedRequests = {
  notHttp: { message: 'The request is not valid HTTP.' },
  noHost: { message: 'The request has no Host header.' },
  severalHosts: { message: 'The request has more than one Host header.' },
  notUrl: {
    message: 'The Host header and the path do not form a valid URL.',
    hint: "Send one 'Host' header, and a path that starts with '/'.",
  },
  undecodablePath: {
    message: 'The path cannot be decoded.',
    hint: "Send percent-encoded UTF-8, and '%25' for a percent sign.",
  },
}

/** The errors of tokens, hosts, paths and headers, by code. */
export const httpErrors = {
  tokenMissing: defineError(
    401,
    'No bearer token was sent.',
    (sent: { readonly isMalformed: boolean; readonly anyTokenIsValid: boolean }) => ({
      message: `The Authorization header ${sent.isMalformed ? 'must have the form `Bearer <token>`' : 'is missing'}.`,
      hint: `Send 'Authorization: Bearer <token>'${sent.anyTokenIsValid ? '; any non-empty token is valid here' : ''}.`,
    }),
    { isMalformed: false, anyTokenIsValid: true },
  ),
  tokenInvalid: defineError(
    401,
    { summary: 'The token is not one of the configured tokens.', condition: 'configured tokens' },
    () => ({
      message: 'The token is not one of the configured tokens.',
      hint: "Tokens are configured with --token, or in the seed under 'tokens'.",
    }),
  ),
  tokenExpired: defineError(
    401,
    { summary: 'The token has expired.', condition: 'configured tokens' },
    (expiresAt: string) => ({ message: 'The token has expired.', hint: `It was valid until ${expiresAt}.` }),
    '2025-01-01T00:00:00.000Z',
  ),
  tokenNotForProject: defineError(
    403,
    {
      summary: 'The token is not valid for this project.',
      condition: 'configured tokens and `wrongProjectToken=403`, the default',
    },
    (project: string) => ({
      message: `The token is not valid for project '${project}'.`,
      hint: "The projects of a token are listed in the seed under 'tokens'.",
    }),
    'acme',
  ),
  adminTokenMissing: defineError(401, 'The control API requires a token.', () => ({
    message: 'The control API requires a token.',
    hint: tokenHint,
  })),
  adminTokenWrong: defineError(401, 'The admin token is not the configured one.', () => ({
    message: 'The admin token is not the configured one.',
    hint: tokenHint,
  })),
  hostNotAllowed: defineError(
    403,
    'The control API is not available under this Host.',
    (sent: { readonly host: string; readonly name: string } | { readonly paymentPageHost: string }) =>
      'host' in sent
        ? {
            message: `The control API is not available under the Host '${sent.host}'.`,
            hint: `Use a literal IP address or localhost, or allow the name with --allowed-hosts ${sent.name}.`,
          }
        : {
            message:
              `The payment page is not available under the Host '${sent.paymentPageHost}', which could be a public name. ` +
              'Open it by an IP address or localhost, or allow the name with --public-url or --allowed-hosts.',
          },
    { host: 'mock.example:4600', name: 'mock.example' },
  ),
  originNotAllowed: defineError(
    403,
    'Web pages of another origin may not call the control API.',
    (sent: { readonly origin: string } | { readonly site: string } | { readonly paymentFrom: string }) => {
      if ('paymentFrom' in sent)
        return {
          message: `A payment can only be posted from its payment page, and this one was posted from ${sent.paymentFrom}. Open the payment page.`,
        }
      const calls = 'origin' in sent ? `calls from pages of '${sent.origin}'` : `${sent.site} calls from pages`
      return { message: `The control API rejects ${calls}.`, hint: 'Call it from a test or with curl.' }
    },
    { origin: 'https://shop.example' },
  ),
  routeNotFound: defineError(
    404,
    'There is no such route.',
    (
      sent:
        | { readonly method: string; readonly path: string; readonly near: readonly string[] }
        | { readonly sandbox: string }
        | { readonly onlyForProjects: { readonly method: string; readonly path: string; readonly isPage: boolean } }
        | 'sandboxesAreOff',
    ) => {
      if (sent === 'sandboxesAreOff')
        return { message: 'Sandboxes are turned off.', hint: 'Start the mock with --max-sandboxes above 0.' }
      if ('sandbox' in sent)
        return {
          message: `${quote(`@${sent.sandbox}`)} is not a valid sandbox name.`,
          hint: `A name has ${sandboxNameForm}, as in /@checkout-1/projects/acme/users.`,
        }
      if ('onlyForProjects' in sent) {
        const { method, path, isPage } = sent.onlyForProjects
        return {
          message: `${method} ${path} is for all projects, but each project is a separate object here.`,
          hint: isPage
            ? 'Open the dashboard of one project: /__admin/?project={project}'
            : 'Call it for one project: /__admin/projects/{project}/...',
        }
      }
      return {
        message: `No route matches ${sent.method} ${sent.path}.`,
        hint: sent.near.length > 0 ? `Similar routes: ${sent.near.join(', ')}.` : 'GET /openapi.json lists all routes.',
      }
    },
    { method: 'GET', path: '/projects/acme/user', near: ['GET /projects/{project}/users'] },
  ),
  projectNotFound: defineError(
    404,
    { summary: 'There is no such project.', condition: '`unknownProject=notFound` or `wrongProjectToken=404`' },
    (sent: { readonly id: string; readonly known?: readonly string[] } | { readonly invalid: readonly Problem[] }) =>
      'invalid' in sent
        ? { message: formatProblems('The project', sent.invalid) }
        : { message: `No project '${sent.id}'.`, hint: sent.known && projectsHint(sent.known) },
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
    (sent: UnknownId | { readonly paymentPage: string; readonly project: string }) =>
      'paymentPage' in sent
        ? {
            message: `No payment link ${quote(sent.paymentPage)} in project ${quote(sent.project)}. Open the paymentUrl of an existing link.`,
          }
        : describeUnknownId(sent),
    { id: 'pml_x', project: 'acme', text: 'payment link' },
  ),
  methodNotAllowed: defineError(
    405,
    'The route exists, with other methods.',
    (sent: { readonly method: string; readonly path: string; readonly methods: readonly string[] } | 'connect') =>
      sent === 'connect'
        ? { message: 'CONNECT is not supported: this server is not a proxy.' }
        : {
            message: `${sent.method} is not allowed for ${sent.path}.`,
            hint: `The allowed methods are ${sent.methods.join(', ')}.`,
          },
    { method: 'PUT', path: '/projects/acme/users', methods: ['POST', 'GET', 'HEAD', 'OPTIONS'] },
  ),
  notAcceptable: defineError(
    406,
    { summary: 'The Accept header does not allow JSON.', condition: '`requestHeaders=required`' },
    (accept: string) => ({
      message: `The Accept header must allow application/json (got '${accept}').`,
      hint: "Send 'Accept: application/json'.",
    }),
    'text/html',
  ),
  malformedRequest: defineError(
    400,
    'The request is not valid HTTP.',
    (reason: keyof typeof malformedRequests | { readonly segment: string }) =>
      typeof reason === 'string'
        ? malformedRequests[reason]
        : {
            message: `'${reason.segment}' in the path cannot be decoded, so it is not the name of a project.`,
            hint: 'Percent-encode the name of the project as UTF-8.',
          },
    'undecodablePath',
  ),
  requestTimeout: defineError(408, 'The request took too long to arrive.', () => ({
    message: 'The request took too long to arrive.',
  })),
  expectationFailed: defineError(
    417,
    'The Expect header has an unknown value.',
    (got: string | undefined) => ({ message: `The Expect header must be '100-continue' (got '${got}').` }),
    '200-ok',
  ),
  headersTooLarge: defineError(
    431,
    'The request headers are too large.',
    (max: number) => ({ message: `The request line and headers must be at most ${max} bytes.` }),
    16_384,
  ),
  unsupportedTransferCoding: defineError(501, 'The Transfer-Encoding is not chunked.', () => ({
    message: 'The Transfer-Encoding must be chunked.',
    hint: "Send 'Transfer-Encoding: chunked', or a Content-Length.",
  })),
}
