// Requests and answers of any kind: spec §1, §4 and §5, and what §7 is silent on.

const users = 'test/contract/users.test.ts'
const links = 'test/contract/payment-links.test.ts'
const requests = 'test/contract/requests.test.ts'
const more = 'test/contract/more-rules.test.ts'

const created = { file: users, name: 'answers the created user, with what was left out filled in' }
const refusedUser = { file: users, name: 'refuses %j and names every problem at once' }
const hint = { file: users, name: 'says what the id of %s is' }
const noToken = { file: requests, name: 'refuses %j' }
const anyToken = { file: requests, name: 'admits %j while no token is configured' }
const ownToken = { file: requests, name: 'answers the configured token %s on %s with %i' }
const order = { file: requests, name: 'is: %s' }
const refusedBody = { file: requests, name: 'is refused when it is %s' }
const options = { file: requests, name: 'answer OPTIONS without a token and without CORS' }
const head = { file: requests, name: 'answer HEAD as GET, without the body' }
const accept = { file: more, name: 'requestHeaders=required answers to Accept: %s with %i' }

// Has the body read and judged before anything else of an operation that has one.
const bodyFirst = `if (operation.body !== undefined)
      return readBody(exchange, options.bodyLimit).then(
        (text) => bodyOf(exchange, operation, text) && addressed(exchange, operation, options),
      )`

/** @type {readonly import('./rules.js').Rule[]} */
export const requestRules = [
  {
    id: 'projects-share-nothing',
    spec: '§1',
    says: 'What is in one project is not found in another.',
    test: { file: users, name: 'keeps projects apart' },
    without: {
      file: 'src/domain/initial-state.ts',
      replace: ['compareTexts(a.id, b.id)', '0'],
    },
  },
  {
    id: 'answers-are-json',
    spec: '§1',
    says: 'An answer says that it is application/json.',
    test: { file: more, name: 'is answered as JSON, whatever it accepts' },
    without: {
      file: 'src/http/guards.ts',
      replace: ["'content-type': json, ...exchangeHeaders", '...exchangeHeaders'],
    },
  },
  {
    id: 'bodies-are-json',
    spec: '§1',
    says: 'A body that says to be something else than JSON is refused (415).',
    test: { file: requests, name: 'is refused as %s, and the message prints the header to send' },
    without: {
      file: 'src/http/guards.ts',
      replace: ['isJson(contentType)) return\n', "isJson(contentType) || contentType !== '') return\n"],
    },
  },
  {
    id: 'bodies-come-as-they-are',
    spec: 'open',
    says: 'A body with a Content-Encoding other than identity is refused (415).',
    test: { file: requests, name: 'is refused with the Content-Encoding %s, and the message says what to do' },
    without: { file: 'src/wire/media-type.ts', replace: ["coding.toLowerCase() === 'identity'", 'true'] },
  },
  {
    id: 'bodies-that-are-not-json-are-400',
    spec: 'open',
    says: 'A body that cannot be read as JSON is a malformed request, told apart from one whose fields are wrong.',
    test: refusedBody,
    without: { file: 'src/schema/error.ts', replace: ['malformedBody: [400', 'malformedBody: [422'] },
  },
  {
    id: 'bodies-need-no-content-type',
    spec: 'open',
    says: 'A body without a content type is read as JSON.',
    test: { file: requests, name: 'is read as JSON without a content type' },
    without: { file: 'src/http/guards.ts', replace: ["if (contentType === '' && ", "if (contentType === 'none' && "] },
  },
  {
    id: 'bodies-are-utf-8',
    spec: 'open',
    says: 'A body whose bytes are not UTF-8 is refused.',
    test: { file: requests, name: 'is refused when it is not UTF-8' },
    without: { file: 'src/wire/body.ts', replace: ['fatal: true', 'fatal: false'] },
  },
  {
    id: 'keys-stand-once',
    spec: 'open',
    says: 'A body with a key twice in one object is refused.',
    test: refusedBody,
    without: { file: 'src/wire/json.ts', replace: ['if (repeated !== undefined)', 'if (repeated === null)'] },
  },
  {
    id: 'bodies-nest-64-levels-at-most',
    spec: 'open',
    says: 'A body that nests deeper than 64 levels is refused.',
    test: refusedBody,
    without: { file: 'src/wire/json.ts', replace: ['Depth = 64', 'Depth = 65'] },
  },
  {
    id: 'bodies-may-nest-64-levels',
    spec: 'open',
    says: 'A body that nests 64 levels deep is taken.',
    test: { file: requests, name: 'may nest 64 levels deep' },
    without: { file: 'src/wire/json.ts', replace: ['Depth = 64', 'Depth = 63'] },
  },
  {
    id: 'bodies-have-a-mebibyte-at-most',
    spec: 'open',
    says: 'Without another limit a body may have 1,048,576 bytes.',
    test: { file: more, name: 'may have a body of a mebibyte, and not a byte more' },
    without: { file: 'src/mock.ts', replace: ['bodyLimit ?? 1024 * 1024', 'bodyLimit ?? 1024 * 1024 + 1'] },
  },
  {
    id: 'bodies-are-counted-as-they-come',
    spec: 'open',
    says: 'The size of a body is counted, not only taken from what it announces.',
    test: { file: requests, name: 'has the size of the body before its syntax' },
    without: { file: 'src/wire/body.ts', replace: ['if (size > limit)', 'if (size > Infinity)'] },
  },
  {
    id: 'times-are-iso-8601-in-utc',
    spec: '§2.2',
    says: 'Times are written as ISO 8601, in UTC.',
    test: created,
    without: { file: 'src/domain/transaction.ts', replace: ['toISOString()', 'toUTCString()'] },
  },
  {
    id: 'times-have-milliseconds',
    spec: 'open',
    says: 'Times have three digits for the fraction of a second.',
    test: created,
    without: {
      file: 'src/schema/behavior.ts',
      replace: ["['milliseconds', 'seconds']", "['seconds', 'milliseconds']"],
    },
  },
  {
    id: 'timestamp-precision-seconds',
    spec: 'open',
    says: 'With timestampPrecision=seconds times have no fraction.',
    test: { file: more, name: 'timestampPrecision=seconds leaves the fraction out of every time' },
    without: { file: 'src/http/views.ts', replace: ["timestampPrecision === 'milliseconds'", 'timestampPrecision'] },
  },
  {
    id: 'hint-at-the-other-kind',
    spec: 'open',
    says: 'An id of the wrong kind gets a hint that says so.',
    test: hint,
    without: {
      file: 'src/domain/refusals.ts',
      replace: ['id.startsWith(`${other.prefix}_`)', 'id === other.prefix'],
    },
  },
  {
    id: 'hint-at-the-other-project',
    spec: 'open',
    says: 'An id that lives in another project gets a hint that says so.',
    test: hint,
    without: { file: 'src/domain/refusals.ts', replace: ['if (project !== undefined)', 'if (project === id)'] },
  },
  {
    id: 'hint-at-the-prefix',
    spec: 'open',
    says: 'An id without the prefix of its kind gets a hint that says so.',
    test: hint,
    without: { file: 'src/domain/refusals.ts', replace: ['!id.startsWith(`${kind.prefix}_`)', 'id === kind.prefix'] },
  },
  {
    id: 'hint-at-the-deletion',
    spec: 'open',
    says: 'An id whose row was deleted gets a hint that says so.',
    test: { file: users, name: 'answers the user as it was, and then it is gone' },
    without: { file: 'src/domain/refusals.ts', replace: ['.gone(id) !== undefined)', '.gone(id) === null)'] },
  },
  {
    id: 'creates-answer-201',
    spec: 'open',
    says: 'A create is answered with 201.',
    test: created,
    without: { file: 'src/schema/behavior.ts', replace: ['[201, 200]', '[200, 201]'] },
  },
  {
    id: 'create-status-200',
    spec: 'open',
    says: 'With createStatus=200 a create is answered with 200.',
    test: { file: more, name: 'createStatus=200 creates with 200' },
    without: { file: 'src/http/guards.ts', replace: ["behave('createStatus')", "behave('createStatus') && 201"] },
  },
  {
    id: 'invalid-bodies-are-422',
    spec: 'open',
    says: 'A body that is JSON but breaks the rules of its fields is refused with 422.',
    test: refusedUser,
    without: { file: 'src/schema/behavior.ts', replace: ['[422, 400]', '[400, 422]'] },
  },
  {
    id: 'invalid-body-status-400',
    spec: 'open',
    says: 'With invalidBodyStatus=400 that is 400.',
    test: { file: more, name: 'invalidBodyStatus=400 refuses with 400 a body that breaks the rules of its fields' },
    without: {
      file: 'src/http/failure.ts',
      replace: ["behave('invalidBodyStatus')", "behave('invalidBodyStatus') && 422"],
    },
  },
  {
    id: 'unknown-fields-are-ignored',
    spec: 'open',
    says: 'A field that the interface does not know is ignored.',
    test: { file: users, name: 'ignores read-only and unknown fields' },
    without: { file: 'src/schema/behavior.ts', replace: ["['ignore', 'reject']", "['reject', 'ignore']"] },
  },
  {
    id: 'unknown-fields-reject',
    spec: 'open',
    says: 'With unknownFields=reject a field of a body that is unknown or read-only is refused.',
    test: { file: more, name: 'unknownFields=reject refuses fields that are unknown or read-only' },
    without: {
      file: 'src/http/guards.ts',
      replace: ["=== 'reject' ? unknown : []),\n  ]\n  if (parsed.ok", "=== '' ? unknown : []),\n  ]\n  if (parsed.ok"],
    },
  },
  {
    id: 'all-problems-of-a-body-at-once',
    spec: 'open',
    says: 'A refused body is told everything that is wrong with it.',
    test: refusedUser,
    without: {
      file: 'src/http/guards.ts',
      replace: ['parsed.problems),\n    ...(unknown', 'parsed.problems.slice(0, 1)),\n    ...(unknown'],
    },
  },
  {
    id: 'base-path',
    spec: '§4',
    says: 'The operations are relative to the base address, which may have a path.',
    test: { file: links, name: 'goes before the operations and nothing else' },
    without: { file: 'src/http/api.ts', replace: ['app.basePath(basePath)\n  for', 'app\n  for'] },
  },
  {
    id: 'unknown-projects-spring-into-being',
    spec: 'open',
    says: 'The first request to a project that no seed declares brings it into being.',
    test: { file: requests, name: 'springs into being by %s, and is logged once' },
    without: { file: 'src/schema/behavior.ts', replace: ["['create', 'notFound']", "['notFound', 'create']"] },
  },
  {
    id: 'refused-for-its-content-brings-a-project-into-being',
    spec: 'open',
    says: 'A request that is refused for its query or body brings its project into being, too.',
    test: { file: requests, name: 'springs into being by %s, and is logged once' },
    without: { file: 'src/http/open.ts', replace: ['leavesUnborn.has(response.status)', 'response.status >= 400'] },
  },
  {
    id: 'refused-for-its-address-leaves-a-project-unborn',
    spec: 'open',
    says: 'A request that is refused with 401, 403, 404 or 405 brings no project into being.',
    test: { file: requests, name: 'stays unborn by a refusal with %s' },
    without: {
      file: 'src/http/open.ts',
      replace: ['operation === undefined || leavesUnborn.has(response.status)', 'false'],
    },
  },
  {
    id: 'unknown-project-not-found',
    spec: 'open',
    says: 'With unknownProject=notFound a project that no seed declares is not found.',
    test: { file: more, name: 'unknownProject=notFound knows no project but those of the seed' },
    without: {
      file: 'src/http/guards.ts',
      replace: ["behave('unknownProject') === 'notFound'", "behave('unknownProject') === ''"],
    },
  },
  {
    id: 'routes-are-no-resources',
    spec: 'open',
    says: 'A route that does not exist has a code of its own.',
    test: { file: requests, name: 'that do not exist, such as %s, never look like a resource that does not exist' },
    without: {
      file: 'src/http/api.ts',
      replace: ['throw routeNotFound(raw.method', "throw methodNotAllowed('', '', []) ?? routeNotFound(raw.method"],
    },
  },
  {
    id: 'routes-that-were-meant-are-hinted-at',
    spec: 'open',
    says: 'A route that does not exist names those near it.',
    test: { file: requests, name: 'that do not exist, such as %s, never look like a resource that does not exist' },
    without: { file: 'src/http/api.ts', replace: ['nearestRoutes(operations, path.slice(basePath.length))', '[]'] },
  },
  {
    id: 'other-methods-are-405-with-allow',
    spec: 'open',
    says: 'A wrong method is told the methods that the path takes, in Allow.',
    test: { file: requests, name: 'answer %s %s with the methods they take' },
    without: { file: 'src/http/api.ts', replace: ['refuse(refusal, exchange, allow)', 'refuse(refusal, exchange)'] },
  },
  {
    id: 'allow-has-head-beside-get',
    spec: 'open',
    says: 'Where GET is allowed, HEAD is.',
    test: { file: requests, name: 'answer %s %s with the methods they take' },
    without: { file: 'src/wire/route.ts', replace: ["methods.has('GET') ? ['HEAD']", "methods.has('GET') ? []"] },
  },
  {
    id: 'head-is-get',
    spec: 'open',
    says: 'HEAD is answered as GET is, without the body.',
    test: head,
    without: {
      file: 'src/http/guards.ts',
      replace: [
        'const accept = exchange',
        "if (exchange.raw.method === 'HEAD') throw new Refusal('methodNotAllowed', 'No.')\n  const accept = exchange",
      ],
    },
  },
  {
    id: 'head-needs-a-token',
    spec: '§5',
    says: 'HEAD carries a token, as every request.',
    test: head,
    without: {
      file: 'src/http/perform.ts',
      replace: [
        'authenticate(exchange, options)',
        "if (exchange.raw.method !== 'HEAD') authenticate(exchange, options)",
      ],
    },
  },
  {
    id: 'options-answers-allow',
    spec: 'open',
    says: 'OPTIONS is answered with 204 and Allow.',
    test: options,
    without: { file: 'src/http/api.ts', replace: ["if (raw.method === 'OPTIONS')", "if (raw.method === '')"] },
  },
  {
    id: 'options-needs-no-token',
    spec: 'open',
    says: 'OPTIONS carries no token: a preflight has none.',
    test: options,
    without: { file: 'src/http/api.ts', replace: ["if (raw.method !== 'OPTIONS')", "if (raw.method !== '')"] },
  },
  {
    id: 'every-answer-has-a-request-id',
    spec: 'open',
    says: 'Every answer has a Mock-Request-Id of its own, the same in every run.',
    test: { file: requests, name: 'has a request id of its own, counted for each project and the same in every run' },
    without: {
      file: 'src/http/exchange.ts',
      replace: [
        'const { requestId, behaviors, assumed } = exchange',
        "const [requestId, { behaviors, assumed }] = ['req_', exchange]",
      ],
    },
  },
  {
    id: 'answers-tell-what-they-assume',
    spec: 'open',
    says: 'An answer that an open point of the specification decided says so in Mock-Assumed.',
    test: { file: requests, name: 'tells the open points of the specification that it relied on' },
    without: {
      file: 'src/http/exchange.ts',
      replace: ['if (!assumed.includes(key) && !dressing.has(key)) insert(assumed, key)', ''],
    },
  },
  {
    id: 'answers-that-assume-nothing-have-no-marker',
    spec: 'open',
    says: 'An answer that the specification decides has no Mock-Assumed.',
    test: { file: requests, name: 'tells the open points of the specification that it relied on' },
    without: {
      file: 'src/http/exchange.ts',
      replace: ["if (assumed.length === 0) return { 'mock-request-id': requestId }", ''],
    },
  },
  {
    id: 'every-request-has-a-token',
    spec: '§5',
    says: 'A request without a bearer token is refused (401).',
    test: noToken,
    without: {
      file: 'src/domain/tokens.ts',
      replace: ['if (presented === undefined) throw', 'if (presented === undefined) return\n      throw'],
    },
  },
  {
    id: 'the-scheme-is-bearer',
    spec: '§5',
    says: 'A request with another scheme than Bearer is refused.',
    test: noToken,
    without: { file: 'src/domain/tokens.ts', replace: ['/^Bearer +', String.raw`/^\w+ +`] },
  },
  {
    id: 'the-scheme-has-no-case',
    spec: '§5',
    says: 'The scheme may be written in any case, as HTTP says.',
    test: anyToken,
    without: { file: 'src/domain/tokens.ts', replace: ['*$/i.exec', '*$/.exec'] },
  },
  {
    id: 'any-token-serves-while-none-is-configured',
    spec: 'open',
    says: 'With no tokens configured any non-empty one serves.',
    test: anyToken,
    without: { file: 'src/domain/tokens.ts', replace: ['if (tokens.length === 0) return', ''] },
  },
  {
    id: 'any-token-is-hinted-at',
    spec: 'open',
    says: 'With no tokens configured the refusal says that any will do.',
    test: noToken,
    without: { file: 'src/domain/tokens.ts', replace: ['anyTokenServes ?', 'anyTokenServes === undefined ?'] },
  },
  {
    id: 'tokens-are-the-configured-ones',
    spec: 'open',
    says: 'With tokens configured another is refused.',
    test: ownToken,
    without: {
      file: 'src/domain/tokens.ts',
      replace: ['if (token === undefined) throw unknown()', 'if (!token) return'],
    },
  },
  {
    id: 'tokens-are-compared-as-a-whole',
    spec: 'open',
    says: 'The beginning of a configured token is not that token.',
    test: ownToken,
    without: { file: 'src/domain/tokens.ts', replace: ['expected.length ^ presented.length', '0'] },
  },
  {
    id: 'tokens-expire',
    spec: 'open',
    says: 'A token is refused from the instant at which it expires.',
    test: ownToken,
    without: {
      file: 'src/domain/tokens.ts',
      replace: ['Date.parse(token.expiresAt) <= now', 'Date.parse(token.expiresAt) < now'],
    },
  },
  {
    id: 'tokens-may-be-for-some-projects',
    spec: 'open',
    says: 'A token that is for some projects is refused in others.',
    test: ownToken,
    without: { file: 'src/domain/tokens.ts', replace: ['!token.projects.includes(project)', '!token.projects'] },
  },
  {
    id: 'a-foreign-token-is-403',
    spec: 'open',
    says: 'A good token on a project it is not for is refused with 403.',
    test: ownToken,
    without: { file: 'src/schema/behavior.ts', replace: ['[403, 404, 401]', '[404, 403, 401]'] },
  },
  {
    id: 'foreign-token-404',
    spec: 'open',
    says: 'With foreignToken=404 such a project is not found.',
    test: { file: more, name: 'foreignToken=%i refuses a token of another project with %s' },
    without: { file: 'src/domain/tokens.ts', replace: ['case 404:\n', 'case 404:\n      return unknown()\n'] },
  },
  {
    id: 'foreign-token-401',
    spec: 'open',
    says: 'With foreignToken=401 such a token is unknown.',
    test: { file: more, name: 'foreignToken=%i refuses a token of another project with %s' },
    without: {
      file: 'src/domain/tokens.ts',
      replace: ['case 401:\n', "case 401:\n      return new Refusal('tokenExpired', 'Expired.')\n"],
    },
  },
  {
    id: 'tokens-of-the-options-win',
    spec: 'open',
    says: 'Tokens of the options stand in place of those of the seed.',
    test: { file: requests, name: 'takes tokens of the options in place of those of the seed' },
    without: { file: 'src/mock.ts', replace: ['options.tokens ?? seed.tokens', 'seed.tokens ?? options.tokens'] },
  },
  {
    id: 'a-401-says-how-to-authenticate',
    spec: 'open',
    says: 'A 401 carries WWW-Authenticate: Bearer.',
    test: noToken,
    without: { file: 'src/wire/respond.ts', replace: ['status === 401 ?', 'status === 0 ?'] },
  },
  {
    id: 'a-404-outside-projects-needs-no-token',
    spec: 'open',
    says: 'Outside /projects a route that does not exist is not found, with or without a token.',
    test: { file: requests, name: 'need no token outside /projects' },
    without: {
      file: 'src/http/api.ts',
      replace: [
        'throw routeNotFound(c.req.method, c.req.path, [])',
        "throw methodNotAllowed('', '', []) ?? routeNotFound(c.req.method, c.req.path, [])",
      ],
    },
  },
  {
    id: 'accept-is-not-enforced',
    spec: 'open',
    says: 'A request is answered in JSON, whatever its Accept says.',
    test: { file: more, name: 'is answered as JSON, whatever it accepts' },
    without: { file: 'src/http/guards.ts', replace: [" && exchange.behave('requestHeaders') === 'required'", ''] },
  },
  {
    id: 'request-headers-required-accept',
    spec: '§5',
    says: 'With requestHeaders=required an Accept that does not admit JSON is refused (406).',
    test: accept,
    without: {
      file: 'src/http/guards.ts',
      replace: ["behave('requestHeaders') === 'required'", "behave('requestHeaders') === ''"],
    },
  },
  {
    id: 'request-headers-required-wildcards',
    spec: '§5',
    says: 'With requestHeaders=required a wildcard in Accept admits JSON.',
    test: accept,
    without: { file: 'src/wire/media-type.ts', replace: ["'*/*'", "'*'"] },
  },
  {
    id: 'request-headers-required-content-type',
    spec: '§5',
    says: 'With requestHeaders=required a body without a content type is refused (415).',
    test: { file: more, name: 'requestHeaders=required refuses a body without a content type' },
    without: {
      file: 'src/http/guards.ts',
      replace: ["behave('requestHeaders') === 'lenient'", "behave('requestHeaders') !== ''"],
    },
  },
  {
    id: 'error-format-problem',
    spec: 'open',
    says: 'With errorFormat=problem refusals are as RFC 9457 says.',
    test: { file: more, name: 'errorFormat=problem answers refusals as RFC 9457 says' },
    without: { file: 'src/http/exchange.ts', replace: ['exchange.behaviors.errorFormat', "'object'"] },
  },
  {
    id: 'error-format-problem-of-the-parser',
    spec: 'open',
    says: 'With errorFormat=problem the errors of the HTTP parser are problems of RFC 9457, too.',
    test: { file: 'test/node/parser-problems.test.ts', name: 'errorFormat=problem answers %s as RFC 9457 says' },
    without: { file: 'src/node/server.ts', replace: ["core.behaviorsOf('').errorFormat", "'object'"] },
  },
  {
    id: 'errors-are-the-error-object',
    spec: 'open',
    says: 'A refusal is an object with type, code and message.',
    test: { file: users, name: 'refuses an id that does not exist' },
    without: { file: 'src/schema/behavior.ts', replace: ["['object', 'problem']", "['problem', 'object']"] },
  },
  {
    id: 'authentication-comes-before-the-route',
    spec: 'open',
    says: 'Who has no token does not learn whether a route exists.',
    test: order,
    without: {
      file: 'src/http/api.ts',
      replace: ["if (raw.method !== 'OPTIONS')", "if (raw.method !== 'OPTIONS' && methods.length > 0)"],
    },
  },
  {
    id: 'headers-come-before-the-resource',
    spec: 'open',
    says: 'A content type that is wrong is refused before the resource in the path is looked for.',
    test: order,
    without: {
      file: 'src/http/perform.ts',
      replace: ['negotiate(exchange, operation)', 'locate(exchange, options)\n    negotiate(exchange, operation)'],
    },
  },
  {
    id: 'the-resource-comes-before-the-body',
    spec: 'open',
    says: 'A resource that does not exist is refused before the body is read.',
    test: { file: users, name: 'refuses a user that does not exist before it reads the body' },
    without: {
      file: 'src/http/perform.ts',
      replace: ['if (operation.body !== undefined || ', `${bodyFirst}\n    if (`],
    },
  },
  {
    id: 'the-query-comes-before-the-body',
    spec: 'open',
    says: 'A query that is wrong is refused before the body is read.',
    test: { file: more, name: 'has its query %s looked at before its body' },
    without: {
      file: 'src/http/perform.ts',
      replace: [
        'if (operation.body !== undefined || ',
        `if (operation.body !== undefined) locate(exchange, options)\n    ${bodyFirst}\n    if (`,
      ],
    },
  },
  {
    id: 'cursors-come-before-the-body',
    spec: 'open',
    says: 'A cursor that is wrong is refused before the body is read.',
    test: { file: more, name: 'has its query %s looked at before its body' },
    without: { file: 'src/http/guards.ts', replace: ['operation.checkQuery(work, parsed.value)', 'work.now'] },
  },
  {
    id: 'unknown-parameters-reject-where-there-are-none',
    spec: 'open',
    says: 'With unknownFields=reject an operation without parameters refuses any (400).',
    test: { file: more, name: 'unknownFields=reject refuses any parameter of %s %s, which has none' },
    without: {
      file: 'src/http/guards.ts',
      replace: ["exchange.behave('unknownFields') === 'reject')\n", "exchange.behave('unknownFields') === '')\n"],
    },
  },
  {
    id: 'unknown-parameters-reject',
    spec: 'open',
    says: 'With unknownFields=reject a parameter that is unknown is refused.',
    test: { file: more, name: 'unknownFields=reject refuses unknown parameters' },
    without: {
      file: 'src/http/guards.ts',
      replace: [
        "=== 'reject' ? unknown : []),\n  ]\n  if (!parsed.ok",
        "=== '' ? unknown : []),\n  ]\n  if (!parsed.ok",
      ],
    },
  },
]
