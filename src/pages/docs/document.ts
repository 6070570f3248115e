/** A JSON Schema, as far as it is shown. */
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
  readonly default?: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Ref {
  readonly $ref: string
}

interface Content {
  readonly 'application/json'?: {
    readonly schema: Schema
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
  }
}

export interface Answer {
  readonly description: string
  readonly content?: Content
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Ref[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer | Ref>>
}

/** The OpenAPI document, as far as it is shown. */
export interface Document {
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Answer>>
  }
}

/** An operation with the place where it stands. */
export interface Placed extends Operation {
  readonly method: string
  readonly path: string
}

/** The operations in the order of the table. */
export const operationsOf = ({ paths }: Document): Placed[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

/** The last part of a reference: `User`, of `#/components/schemas/User`. */
export const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)
