import { trimSlashes } from '../../schema/url.ts'

type Named<T> = Readonly<Record<string, T>>
type Ref = Readonly<Record<'$ref', string>>

/** The parts of a JSON Schema that the pages show. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Named<Schema>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
}

interface JsonContent {
  readonly 'application/json'?: { readonly schema: Schema; readonly examples?: Named<{ readonly value: unknown }> }
}

interface ResponseObject {
  readonly description: string
  readonly content?: JsonContent
}

interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Ref[]
  readonly requestBody?: { readonly content: JsonContent }
  readonly responses: Named<ResponseObject | Ref>
}

/** The parts of an OpenAPI document that the pages show. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Named<Named<OperationObject>>
  readonly components: {
    readonly parameters: Named<{ name: string; in: string; description?: string; schema: Schema }>
    readonly schemas: Named<Schema>
    readonly responses: Named<ResponseObject>
  }
}

/** The operations in the order of the document, with their references resolved. `route` is the whole path with its method. */
export const listOperations = (document: OpenApiDocument) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([name, { parameters, requestBody, ...operation }]) => {
      const method = name.toUpperCase()
      const { schema, examples = {} } = requestBody?.content['application/json'] ?? {}
      const { components } = document
      return {
        ...operation,
        path,
        method,
        route: `${method} ${getPrefix(document)}${path}`,
        parameters: parameters.map(({ $ref }) => components.parameters[getRefName($ref)]!),
        body: schema?.$ref === undefined ? undefined : components.schemas[getRefName(schema.$ref)],
        examples,
      }
    }),
  )

export type DocumentedOperation = ReturnType<typeof listOperations>[number]

/** Returns what precedes the paths of the document. */
export const getPrefix = ({ servers }: OpenApiDocument): string => trimSlashes(servers[0]?.url ?? '')

/** Returns `User` for `#/components/schemas/User`. */
export const getRefName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)
