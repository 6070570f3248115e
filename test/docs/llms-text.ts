import { type BehaviorKey, behaviorKeys, behaviorRegistry } from '../../src/core/schema/behavior.ts'
import type { Command } from '../../src/core/control/command.ts'
import { type CommandId, commands } from '../../src/core/control/commands.ts'
import type { DocumentedOperation, OpenApiDocument, Schema } from '../../src/core/pages/docs/documented-operations.ts'
import { listOperations } from '../../src/core/pages/docs/documented-operations.ts'

const defaultOrigin = 'http://127.0.0.1:4600'

/** Both APIs and recipes as one short text, for coding assistants: the content of `llms.txt`. */
export const formatLlmsText = (api: OpenApiDocument, control: OpenApiDocument): string =>
  [
    `# paylink-mock ${api.info.version}`,
    `> An in-memory mock of a subscription-management API with users and payment links. It is for tests: all data is lost
> when it stops.`,
    `- All paths follow ${defaultOrigin}. The base URL of a client is ${defaultOrigin}
- Give each test its own project id. A project is created on first use. Projects do not affect each other.
- The same calls return the same ids in every run.`,
    ...formatMockedApi(api),
    ...formatControlApi(control),
    ...formatFaults(control),
    '## Behaviors',
    'Points that the specification of the API leaves open, with their values. The first value is the default.',
    formatBullets(behaviorKeys.map(formatBehavior)),
    '## Recipes',
    'Commands for one project. The control API can do the same for all projects.',
    formatBullets(Object.entries(recipes).map(([title, steps]) => formatRecipe(title, steps, control))),
    '## More',
    formatBullets([
      '`GET /openapi.json`: the mocked API as OpenAPI 3.1',
      '`GET /__admin/openapi.json`: the control API as OpenAPI 3.1',
      '`GET /docs`: the API description for people, with curl commands',
      '`GET /__admin/`: the dashboard',
    ]),
  ].join('\n\n') + '\n'

const formatMockedApi = (api: OpenApiDocument): string[] => [
  '## Mocked API',
  `The client under test calls this API. It sends \`Authorization: Bearer TOKEN\` (any token, unless tokens are configured),
\`Accept: application/json\` and, with a body, \`Content-type: application/json\`.`,
  formatBullets(listOperations(api).map(formatOperation)),
  'Fields:',
  formatBullets(
    Object.entries(api.components.schemas)
      .filter(([name]) => !name.endsWith('Body'))
      .map(([name, schema]) => `${name}: ${formatFieldNames(schema)}`),
  ),
]

const formatControlApi = (control: OpenApiDocument): string[] => {
  const commandsById: Readonly<Record<string, Command>> = commands
  const formatCommands = (scope: Command['scope']) =>
    formatBullets(
      listOperations(control)
        .filter(({ operationId }) => commandsById[operationId]?.scope === scope)
        .map(formatOperation),
    )
  return [
    '## Control API',
    `The test calls this API. Bodies are JSON. If the mock has an admin token, each call needs
\`Authorization: Bearer ADMIN_TOKEN\`. A rejected call changes nothing.`,
    'For one project:',
    formatCommands('project'),
    'For one project, and without `/projects/{project}` for all projects:',
    formatCommands('both'),
    'For the mock:',
    formatCommands('mock'),
  ]
}

const formatFaults = ({ components }: OpenApiDocument): string[] => {
  const { match, effect, ...fields } = components.schemas.AddFaultBody?.properties ?? {}
  return [
    '## Faults',
    `A fault changes the responses to matching requests. Fields of \`match\`: ${formatFieldNames(match)}. Fields of \`effect\`:`,
    formatBullets(formatFields(effect?.properties)),
    'Other fields of a fault:',
    formatBullets(formatFields(fields)),
  ]
}

const formatBullets = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

const formatOperation = ({ route, operationId, summary, parameters, body, examples }: DocumentedOperation): string => {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const [example] = Object.values(examples)
  return [
    `\`${route}\` ${operationId}: ${summary}.`,
    query.length > 0 && `Query: ${query.join(', ')}.`,
    body && `Body: ${formatFieldNames(body)}.`,
    example && `Example: \`${JSON.stringify(example.value)}\``,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The names of the fields of an object. Optional ones end with a question mark. */
const formatFieldNames = ({ properties = {}, required = [], oneOf = [] }: Schema = {}): string =>
  [
    ...Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`)),
    ...oneOf.map((one) => formatFieldNames(one)),
  ].join(oneOf.length > 0 ? ' or ' : ', ')

const formatFields = (properties: Schema['properties'] = {}): string[] =>
  Object.entries(properties).map(([name, { description = '', enum: values }]) =>
    [`\`${name}\`${values === undefined ? '' : ` (${values.join(', ')})`}`, description].join(': '),
  )

const formatBehavior = (key: BehaviorKey): string => {
  const { values, summary } = behaviorRegistry[key]
  return `\`${key}\` (${values.join(', ')}): ${summary}`
}

type RecipeStep = readonly [command: CommandId, body?: object]

const createLinkMatch = { operation: 'createPaymentLink' }

/** The tasks of a test, as commands for one project with their bodies. */
const recipes: Readonly<Record<string, readonly RecipeStep[]>> = {
  'Start a test from the seed': [['reset']],
  'Create a record directly, with any state': [['createPaymentLink', { invoice: 'inv_1' }]],
  'Pay a payment link': [['payPaymentLink', {}]],
  'Let an attempt to pay fail': [['payPaymentLink', { outcome: 'failed' }]],
  'Pay with the third retrieve of the link': [['payPaymentLink', { when: { reads: 3 } }]],
  'Control the time, and pay later': [
    ['setClock', { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' }],
    ['payPaymentLink', { when: { in: 30_000 } }],
    ['advanceClock', { milliseconds: 60_000 }],
  ],
  'Make the next request fail': [['addFault', { match: createLinkMatch, effect: { status: 503 } }]],
  'Lose a response: the operation runs, and the connection closes': [
    ['addFault', { match: createLinkMatch, phase: 'after', effect: { connection: 'close' } }],
  ],
  'Hold a request, do something else, and release it': [
    ['addFault', { match: createLinkMatch, effect: { hold: true } }],
    ['waitForHeld', { held: 1, within: 2000 }],
    ['releaseFault', {}],
  ],
  'Save a state and return to it': [['saveSnapshot', { name: 'before' }], ['restoreSnapshot']],
  'Change what the service does': [['changeBehaviors', { cancelInactive: 'idempotent' }]],
  'Verify which requests the client sent': [
    ['verifyRequests', { match: { ...createLinkMatch, body: { invoice: 'inv_1' } }, times: 1 }],
  ],
  'Verify that each request followed the specification': [['verifyViolations']],
  'Print what happened when a test fails': [['report']],
}

const formatRecipe = (title: string, steps: readonly RecipeStep[], control: OpenApiDocument): string => {
  const stepTexts = steps.map(([id, body]) => {
    const { route } = listOperations(control).find(({ operationId }) => operationId === id)!
    return `\`${route}\`${body === undefined ? '' : ` \`${JSON.stringify(body)}\``}`
  })
  return [`${title}:`, ...stepTexts].join(steps.length > 1 ? '\n  - ' : ' ')
}
