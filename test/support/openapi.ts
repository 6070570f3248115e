import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { readJson } from './read.ts'

interface DocumentedOperation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Record<string, MediaType> }
  readonly responses: Record<string, DocumentedResponse>
  readonly [key: string]: any
}

interface DocumentedResponse {
  readonly headers: Record<string, unknown>
  readonly content?: Record<string, MediaType>
}

interface MediaType {
  readonly schema: { readonly [key: string]: any }
  readonly examples: Record<string, any>
}

export interface OpenApiDocument {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Record<string, Record<string, DocumentedOperation>>
  readonly components: Record<string, Record<string, any>>
  readonly [key: string]: any
}

interface Exchange {
  readonly method: string
  readonly pathname: string
  /** The body of the request, if it was JSON. */
  readonly sent?: unknown
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

type Contract = ReturnType<typeof createContract>

type Place = readonly (string | number)[]
type Options = Pick<MockOptions, 'provider' | 'basePath' | 'behaviors'>

const contracts = new Map<string, Promise<Contract>>()
const contractsOfDocuments = new Map<string, Contract>()

/** The contract of a mock with these options, compiled once. */
export const buildContract = ({ provider, basePath, behaviors }: Options): Promise<Contract> => {
  const key = JSON.stringify([provider, basePath, behaviors])
  const known = contracts.get(key) ?? loadDocument({ provider, basePath, behaviors }).then(getContract)
  contracts.set(key, known)
  return known
}

// Most behaviors do not change the document.
const getContract = (document: OpenApiDocument): Contract => {
  const key = JSON.stringify(document)
  const known = contractsOfDocuments.get(key) ?? createContract(document)
  contractsOfDocuments.set(key, known)
  return known
}

/** The document as a mock with these options serves it. */
export const loadDocument = async (options: Options): Promise<OpenApiDocument> =>
  (await readJson(createMock(options).fetch('/openapi.json'))) as OpenApiDocument

const methods = ['get', 'post', 'patch', 'delete']
// Standard HTTP headers, which the document does not list.
const protocolHeaders = new Set('connection content-length content-type date keep-alive transfer-encoding'.split(' '))

/** Compiles the schemas of a document on first use. */
export const listSchemas = (document: OpenApiDocument) => {
  // `openapi.test.ts` validates the documents. To do it for each set of behaviors costs more than all checks of responses.
  const unchecked = { meta: false, validateSchema: false }
  // Most schemas check few values: compiling them takes longest.
  const quick = { inlineRefs: false, code: { optimize: false } }
  const ajv = addFormats.default(new Ajv2020({ allErrors: true, allowUnionTypes: true, ...unchecked, ...quick }))
  // The schemas are strict, but the document around them is not a schema.
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()

  /** The part of the document at this place, with resolved references. */
  const at = (place: Place): any => {
    let part: any = document
    for (const step of place) {
      part = part?.[step]
      if (typeof part?.$ref === 'string') part = at(placeOf(part.$ref))
    }
    return part
  }
  /** The problems of a value for the schema at this place of the document, in one text. */
  const problems = (place: Place, value: unknown): string => {
    const pointer = `openapi#/${place.map((step) => encodeURIComponent(pointerStep(step))).join('/')}`
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: pointer })
    compiled.set(pointer, validate)
    return validate(value) ? '' : ajv.errorsText(validate.errors)
  }
  /** The place after resolving references, through which pointers do not look. */
  const resolved = (place: Place): Place => {
    const parent = at(place.slice(0, -1))
    const reference = parent[place.at(-1)!]?.$ref
    return typeof reference === 'string' ? placeOf(reference) : place
  }
  return { document, problems, at, resolved }
}

const createContract = (document: OpenApiDocument) => {
  const schemas = listSchemas(document)
  const { at, problems, resolved } = schemas
  const base = document.servers[0]!.url.replace(/\/$/, '')
  const findPaths = (pathname: string) =>
    pathname.startsWith(`${base}/`)
      ? Object.keys(document.paths).filter((path) => isAt(path, pathname.slice(base.length)))
      : []

  /** Checks a response against the document: status, headers, content type and body. */
  const hold = (exchange: Exchange): void => {
    const { method, pathname, status, headers } = exchange
    const paths = findPaths(pathname)
    if (paths.length === 0) return holdElsewhere(exchange)
    if (method === 'OPTIONS') return holdOptions(exchange)
    const methodKey = method === 'HEAD' ? 'get' : method.toLowerCase()
    const path = paths.find((one) => methodKey in document.paths[one]!) ?? paths[0]!
    const known = methodKey in document.paths[path]!
    // Another method of the path is not an operation; all operations of the path document its response.
    if (!known) expect([401, 403, 404, 405], `${method} ${path} is no operation`).toContain(status)
    const operation = known ? methodKey : methods.find((one) => one in document.paths[path]!)!
    const responses = ['paths', path, operation, 'responses']
    const place = [...responses, status]
    const response = at(place) as DocumentedResponse | undefined
    expect(response, `${method} ${path} may return ${status}`).toBeDefined()
    holdHeaders(response!, resolved(place), headers)
    if (method !== 'HEAD') holdBody(response!, resolved(place), exchange)
    if (status < 400 && exchange.sent !== undefined && known)
      holdRequest(['paths', path, methodKey], asSent(exchange.sent))
  }

  const holdHeaders = (response: DocumentedResponse, place: Place, headers: Headers) => {
    const documented = new Map(Object.keys(response.headers).map((name) => [name.toLowerCase(), name]))
    const wrong = [...headers].flatMap(([name, value]) => {
      if (protocolHeaders.has(name)) return []
      const header = documented.get(name)
      if (header === undefined) return `${name} is not documented`
      return problems([...resolved([...place, 'headers', header]), 'schema'], value) || []
    })
    const missing = [...documented].filter(
      ([lower, name]) => at([...place, 'headers', name]).required && headers.get(lower) === null,
    )
    expect({ wrong, missing }, 'the headers are as documented').toEqual({ wrong: [], missing: [] })
  }
  const holdBody = ({ content = {} }: DocumentedResponse, place: Place, { headers, body }: Exchange) => {
    const type = headers.get('content-type') ?? ''
    expect(Object.keys(content), 'the content types that are documented').toContain(type)
    expect(problems([...place, 'content', type, 'schema'], body), 'the body is as documented').toBe('')
  }
  /** Expects an accepted body to match the document. */
  const holdRequest = (place: Place, sent: unknown) => {
    if (at([...place, 'requestBody']) === undefined) return
    const schema = [...place, 'requestBody', 'content', 'application/json', 'schema']
    expect(problems(schema, sent), 'an accepted body must be documented').toBe('')
  }
  const holdOptions = ({ status, headers, body }: Exchange) => {
    expect([status, body]).toEqual([204, undefined])
    expect([...headers.keys()].filter((name) => !protocolHeaders.has(name))).toEqual(['allow', 'mock-request-id'])
  }
  /** Every path under `/projects` is documented. */
  const holdElsewhere = ({ method, pathname, status, body }: Exchange) => {
    if (pathname.startsWith(`${base}/projects`)) expect([401, 403, 404], `${pathname} is no path`).toContain(status)
    if (status >= 400 && method !== 'HEAD') {
      const name = 'ErrorObject' in document.components.schemas! ? 'ErrorObject' : 'Problem'
      expect(problems(['components', 'schemas', name], body), 'the body is a documented error').toBe('')
    }
  }
  return { ...schemas, hold }
}

const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const placeOf = (reference: string): Place => reference.slice('#/'.length).split('/')

const pointerStep = (step: string | number) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')

/** Whether a path of the document, with its parameters, is that of a request. */
export const isAt = (path: string, pathname: string) =>
  new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname)
