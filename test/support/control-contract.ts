import { createMock } from '../../src/node/index.ts'
import { isAt, type OpenApiDocument, listSchemas } from './openapi.ts'
import { readJson, findLoneSurrogate } from './read.ts'

/** A call of the control API over HTTP, and its response. */
export interface ControlExchange {
  readonly method: string
  readonly url: URL
  /** The body of the request, if it is text. */
  readonly sent?: string | undefined
  readonly status: number
  readonly headers: Headers
  /** The body of the response. Undefined for a stream. */
  readonly text?: string | undefined
}

const load = async () => {
  return listSchemas((await readJson(createMock().fetch('/__admin/openapi.json'))) as OpenApiDocument)
}
let loaded: ReturnType<typeof load> | undefined

/** The document of the control API, with its schemas. */
export const buildControlContract = () => (loaded ??= load())

// The dashboard and the document itself are not endpoints of the control API.
const isPage = (path: string) => /^\/__admin\/(?:openapi\.json|dashboard\/.*)?$/.test(path)

// Invalid HTTP is rejected before the endpoint is known.
const isUnreadable = ({ status, text = '' }: ControlExchange) =>
  [408, 417, 431, 501].includes(status) || text.includes('"code":"malformedRequest"')

/** The differences between a response and the document of the control API, in one text; empty without any. */
export const findControlProblems = async (exchange: ControlExchange): Promise<string> => {
  const { method, url, status, headers, text } = exchange
  const path = url.pathname.slice(url.pathname.indexOf('/__admin/'))
  if ((isPage(path) && status < 400) || isUnreadable(exchange)) return ''
  const contract = await buildControlContract()
  const { paths } = contract.document
  const methodKey = method === 'HEAD' ? 'get' : method.toLowerCase()
  const routes = Object.keys(paths).filter((one) => isAt(one, path))
  const route = routes.find((one) => methodKey in paths[one]!)
  const lone =
    status >= 400 && headers.get('content-type') === 'application/json' && text ? findLoneSurrogate(text) : undefined
  if (lone !== undefined) return `${method} ${path} responded with half a character: ${JSON.stringify(lone)}`
  const problem =
    route === undefined
      ? findOtherProblem(contract, exchange, routes)
      : findProblem(contract, exchange, route, methodKey)
  return problem === '' ? '' : `${method} ${path} responded with ${status}: ${problem}`
}

type Contract = Awaited<ReturnType<typeof load>>

const findProblem = (contract: Contract, exchange: ControlExchange, route: string, methodKey: string): string => {
  const { at, problems, resolved } = contract
  const { method, status, headers, sent, text } = exchange
  const operation = ['paths', route, methodKey]
  const response = [...operation, 'responses', status]
  if (at(response) === undefined) return 'the status is not documented'
  const { content, headers: documented = {} } = at(response)
  for (const [name, header] of Object.entries<any>(documented)) {
    const value = headers.get(name)
    const isWrong =
      value === null ? header.required : problems([...resolved(response), 'headers', name, 'schema'], value)
    if (isWrong) return `the header ${name} is ${value}`
  }
  if (method === 'HEAD') return ''
  const type = headers.get('content-type')
  if (content === undefined) return text === '' ? '' : 'the body is not documented'
  if (type === null || !(type in content)) return `the content type ${type} is not documented`
  if (text === undefined) return ''
  const wrong = problems(
    [...resolved(response), 'content', type, 'schema'],
    type.startsWith('text/') ? text : JSON.parse(text),
  )
  if (wrong !== '' || status >= 400 || !sent) return wrong
  const request = at([...operation, 'requestBody'])
  if (request === undefined) return ''
  const schema = [...operation, 'requestBody', 'content', 'application/json', 'schema']
  const unexpected = problems(schema, JSON.parse(sent))
  return unexpected === '' ? '' : `accepted a body that is not documented: ${unexpected}`
}

/** Other paths, and other methods: an error, except for OPTIONS. */
const findOtherProblem = (
  { problems }: Contract,
  { method, status, headers, text }: ControlExchange,
  routes: readonly string[],
): string => {
  if (method === 'OPTIONS' && status === 204) return routes.length > 0 ? '' : 'no such path'
  if (status < 400) return 'no such endpoint'
  if (method === 'HEAD' || headers.get('content-type') !== 'application/json') return ''
  return problems(['components', 'schemas', 'ErrorObject'], JSON.parse(text!))
}
