import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { createDraws } from '../../src/core/domain/ids.ts'
import { type BehaviorKey, behaviorRegistry, type Behaviors } from '../../src/core/schema/behavior.ts'
import { readJson } from './read.ts'

/** One operation in the document. */
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

/** A document, and the schemas in it. */
interface Schemas {
  readonly document: OpenApiDocument
  /** The problems of a value for the schema at this place of the document, in one text. */
  readonly problems: (place: Place, value: unknown) => string
  /** The part of the document at this place, with resolved references. */
  readonly at: (place: Place) => any
  /** The place after resolving references. */
  readonly resolved: (place: Place) => Place
}

/** Checks responses against the document: status, headers, content type and body. */
export interface Contract extends Schemas {
  readonly hold: (exchange: Exchange) => void
}

type Place = readonly (string | number)[]
type Options = Pick<MockOptions, 'provider' | 'basePath' | 'behaviors'>

const contracts = new Map<string, Promise<Contract>>()

/** The contract of a mock with these options, compiled once. */
export const buildContract = ({ provider, basePath, behaviors }: Options): Promise<Contract> => {
  const key = JSON.stringify([provider, basePath, behaviors])
  const known = contracts.get(key) ?? loadDocument({ provider, basePath, behaviors }).then(createContract)
  contracts.set(key, known)
  return known
}

/** The document as a mock with these options serves it. */
export const loadDocument = async (options: Options): Promise<OpenApiDocument> =>
  (await readJson(createMock(options).fetch('/openapi.json'))) as OpenApiDocument

const methods = ['get', 'post', 'patch', 'delete']
// Standard HTTP headers, which the document does not list.
const protocolHeaders = new Set('connection content-length content-type date keep-alive transfer-encoding'.split(' '))

/** Few combinations of behaviors that have every pair of their values. The first one has the defaults. */
const listBehaviorPairs = <K extends BehaviorKey>(keys: readonly K[]): readonly Pick<Behaviors, K>[] => {
  const draw = createDraws('pairs')
  const listPairs = (row: readonly number[]) =>
    row.flatMap((a, first) => row.slice(first + 1).map((b, next) => `${first} ${a} ${first + 1 + next} ${b}`))
  const rows = [keys.map(() => 0)]
  const seen = new Set(listPairs(rows[0]!))
  const countNew = (row: readonly number[]) => listPairs(row).filter((pair) => !seen.has(pair)).length
  // The best of many random rows, until none of them has a new pair.
  const next = () =>
    Array.from({ length: 1000 }, () => keys.map((key) => draw() % behaviorRegistry[key].values.length)).reduce(
      (best, row) => (countNew(row) > countNew(best) ? row : best),
    )
  for (let row = next(); countNew(row) > 0; row = next()) {
    rows.push(row)
    for (const pair of listPairs(row)) seen.add(pair)
  }
  return rows.map(
    (row) =>
      Object.fromEntries(keys.map((key, at) => [key, behaviorRegistry[key].values[row[at]!]])) as Pick<Behaviors, K>,
  )
}

/** All pairs of values of the behaviors that change what a document shows. */
export const documentedBehaviors = listBehaviorPairs([
  ...(['createStatus', 'invalidBodyStatus', 'errorFormat', 'unknownFields', 'payerFields', 'searchMatch'] as const),
  ...(['emailVerifiedOnCreate', 'metadataUpdate', 'metadataLimits', 'paymentLinkOrder', 'timestampPrecision'] as const),
  ...(['invoiceIds', 'cancelInactive'] as const),
])

/** Compiles the schemas of a document on first use. */
export const listSchemas = (document: OpenApiDocument): Schemas => {
  // `openapi.test.ts` validates the documents. To do it for each set of behaviors costs more than all checks of responses.
  const unchecked = { meta: false, validateSchema: false }
  const ajv = addFormats.default(new Ajv2020({ allErrors: true, allowUnionTypes: true, ...unchecked }))
  // The schemas are strict, but the document around them is not a schema.
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()

  const at = (place: Place): any => {
    let part: any = document
    for (const step of place) {
      part = part?.[step]
      if (typeof part?.$ref === 'string') part = at(placeOf(part.$ref))
    }
    return part
  }
  const problems: Schemas['problems'] = (place, value) => {
    const pointer = `openapi#/${place.map((step) => encodeURIComponent(pointerStep(step))).join('/')}`
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: pointer })
    compiled.set(pointer, validate)
    return validate(value) ? '' : ajv.errorsText(validate.errors)
  }
  // Pointers do not look through references.
  const resolved: Schemas['resolved'] = (place) => {
    const parent = at(place.slice(0, -1))
    const reference = parent[place.at(-1)!]?.$ref
    return typeof reference === 'string' ? placeOf(reference) : place
  }
  return { document, problems, at, resolved }
}

const createContract = (document: OpenApiDocument): Contract => {
  const schemas = listSchemas(document)
  const { at, problems, resolved } = schemas
  const base = document.servers[0]!.url.replace(/\/$/, '')
  const findPaths = (pathname: string) =>
    pathname.startsWith(`${base}/`)
      ? Object.keys(document.paths).filter((path) => isAt(path, pathname.slice(base.length)))
      : []

  const hold: Contract['hold'] = (exchange) => {
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
    for (const [name, value] of headers) {
      if (protocolHeaders.has(name)) continue
      expect([...documented.keys()], 'the headers that are documented').toContain(name)
      const header = resolved([...place, 'headers', documented.get(name)!])
      expect(problems([...header, 'schema'], value), `header ${name}`).toBe('')
    }
    for (const [lower, name] of documented)
      if (at([...place, 'headers', name]).required) expect(headers.get(lower), `header ${name}`).not.toBeNull()
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
