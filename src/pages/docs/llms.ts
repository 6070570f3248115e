import { type BehaviorKey, behaviorKeys, behaviorRegistry } from '../../schema/behavior.ts'
import { type Document, type Operation, listOperations, refName, type Schema } from './document.ts'
import { type Recipe, recipes } from './recipes.ts'

/** Both APIs and recipes as one short text, for coding assistants. */
export const llmsText = (api: Document, control: Document, origin: string): string =>
  [
    `# paylink-mock ${api.info.version}`,
    `> An in-memory mock of a subscription-management API with users and payment links. It is for tests: all data is lost
> when it stops.`,
    `- All paths follow ${origin}. The base URL of a client is ${origin}${prefixOf(api)}
- Give each test its own project id. A project is created on first use. Projects do not affect each other.
- The same calls return the same ids in every run.`,
    ...mockedApi(api),
    ...controlApi(control),
    ...faults(control),
    '## Behaviors',
    'Points that the specification of the API leaves open, with their values. The first value is the default.',
    list(behaviorKeys.map(behaviorText)),
    '## Recipes',
    'Commands for one project. The control API can do the same for all projects.',
    list(recipes.map((recipe) => recipeText(recipe, control))),
    '## More',
    list([
      `\`GET ${prefixOf(control)}/openapi.json\`: the mocked API as OpenAPI 3.1`,
      `\`GET ${prefixOf(control)}/__admin/openapi.json\`: the control API as OpenAPI 3.1`,
      `\`GET ${prefixOf(control)}/docs\`: the mocked API for people, with curl commands`,
      `\`GET ${prefixOf(control)}/__admin/\`: the dashboard`,
    ]),
  ].join('\n\n') + '\n'

const mockedApi = (api: Document): string[] => [
  '## Mocked API',
  `The client under test calls this API. It sends \`Authorization: Bearer TOKEN\` (any token, unless tokens are configured),
\`Accept: application/json\` and, with a body, \`Content-type: application/json\`.`,
  list(listOperations(api).map((operation) => operationText(operation, api))),
  'Fields:',
  list(
    Object.entries(api.components.schemas)
      .filter(([name]) => !name.endsWith('Body'))
      .map(([name, schema]) => `${name}: ${fieldNames(schema)}`),
  ),
]

const controlApi = (control: Document): string[] => {
  const commands = listOperations(control)
  const ids = new Set(commands.map(({ operationId }) => operationId))
  const isForBoth = ({ operationId }: Operation) => ids.has(`${operationId}ForAll`)
  const isForOne = ({ path }: Operation) => path.includes('{project}')
  const commandList = (belongs: (command: Operation) => boolean) =>
    list(commands.filter(belongs).map((command) => operationText(command, control)))
  return [
    '## Control API',
    `The test calls this API. Bodies are JSON. If the mock has an admin token, each call needs
\`Authorization: Bearer ADMIN_TOKEN\`. A rejected call changes nothing.`,
    'For one project:',
    commandList((command) => isForOne(command) && !isForBoth(command)),
    'For one project, and without `/projects/{project}` for all projects:',
    commandList(isForBoth),
    'For the mock:',
    commandList((command) => !isForOne(command) && !command.operationId.endsWith('ForAll')),
  ]
}

const faults = (control: Document): string[] => {
  const { match, effect, ...fields } = schemaNamed('AddFaultBody', control).properties ?? {}
  return [
    '## Faults',
    `A fault changes the responses to matching requests. Fields of \`match\`: ${fieldNames(match)}. Fields of \`effect\`:`,
    list(fieldTexts(effect?.properties)),
    'Other fields of a fault:',
    list(fieldTexts(fields)),
  ]
}

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

/** The path before all paths of a document. */
const prefixOf = ({ servers }: Document): string => (servers[0]?.url ?? '/').replace(/\/$/, '')

const routeText = ({ method, path }: Operation, document: Document): string =>
  `\`${method} ${prefixOf(document)}${path}\``

const operationText = (operation: Operation, document: Document): string => {
  const { operationId, summary, parameters, requestBody } = operation
  const query = parameters.flatMap(({ $ref }) => {
    const { name, in: place } = document.components.parameters[refName($ref)]!
    return place === 'query' ? name : []
  })
  const { schema, examples = {} } = requestBody?.content['application/json'] ?? {}
  const [example] = Object.values(examples)
  return [
    `${routeText(operation, document)} ${operationId}: ${summary}.`,
    ...(query.length > 0 ? [`Query: ${query.join(', ')}.`] : []),
    ...(schema?.$ref === undefined ? [] : [`Body: ${fieldNames(schemaNamed(refName(schema.$ref), document))}.`]),
    ...(example === undefined ? [] : [`Example: \`${JSON.stringify(example.value)}\``]),
  ].join(' ')
}

const schemaNamed = (name: string, { components }: Document): Schema => components.schemas[name] ?? {}

/** The names of the fields of an object. Optional ones end with a question mark. */
const fieldNames = ({ properties = {}, required = [], oneOf = [] }: Schema = {}): string =>
  [
    ...Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`)),
    ...oneOf.map((one) => fieldNames(one)),
  ].join(oneOf.length > 0 ? ' or ' : ', ')

const fieldTexts = (properties: Schema['properties'] = {}): string[] =>
  Object.entries(properties).map(([name, { description = '', enum: values }]) =>
    [`\`${name}\`${values === undefined ? '' : ` (${values.join(', ')})`}`, description].join(': '),
  )

const behaviorText = (key: BehaviorKey): string => {
  const { values, summary } = behaviorRegistry[key]
  return `\`${key}\` (${values.join(', ')}): ${summary}`
}

const recipeText = ({ title, steps }: Recipe, control: Document): string => {
  const commands = new Map(listOperations(control).map((command) => [command.operationId, command]))
  const stepTexts = steps.map(([id, body]) => {
    const route = routeText(commands.get(id)!, control)
    return body === undefined ? route : `${route} \`${JSON.stringify(body)}\``
  })
  return [`${title}:`, ...stepTexts].join(steps.length > 1 ? '\n  - ' : ' ')
}
