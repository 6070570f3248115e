import { trimSlashes } from '../../schema/url.ts'

/** The parts of a JSON Schema that the page shows. */
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

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly schema: Schema
}

type Ref = Readonly<Record<'$ref', string>>
type Named<T> = Readonly<Record<string, T>>

interface Content {
  readonly 'application/json'?: { readonly schema: Schema; readonly examples?: Named<{ readonly value: unknown }> }
}

export interface ResponseObject {
  readonly description: string
  readonly content?: Content
}

export interface DocumentedOperation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Ref[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Named<ResponseObject | Ref>
}

/** The parts of the OpenAPI document that the page shows. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Named<Named<Omit<DocumentedOperation, 'method' | 'path'>>>
  readonly components: {
    readonly parameters: Named<Parameter>
    readonly schemas: Named<Schema>
    readonly responses: Named<ResponseObject>
  }
}

/** The operations in the order of the document. */
export const listOperations = ({ paths }: OpenApiDocument): DocumentedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

/** Returns what precedes the paths of the document. */
export const getPrefix = ({ servers }: OpenApiDocument): string => trimSlashes(servers[0]?.url ?? '')

/** Returns `User` for `#/components/schemas/User`. */
export const getRefName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)
