/** The parts of a JSON Schema that the page shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
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

interface Ref {
  readonly $ref: string
}

interface MediaType {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

type Content = Readonly<Partial<Record<'application/json', MediaType>>>

export interface ResponseObject {
  readonly description: string
  readonly content?: Content
}

interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Ref[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseObject | Ref>>
}

/** The parts of the OpenAPI document that the page shows. */
export interface Document {
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, ResponseObject>>
  }
}

export interface Operation extends OperationObject {
  readonly method: string
  readonly path: string
}

/** The operations in the order of the document. */
export const operationsOf = ({ paths }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

/** Returns `User` for `#/components/schemas/User`. */
export const refName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)
