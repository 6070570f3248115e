type Json = { readonly [key: string]: any }

/** Every object with fields in a JSON schema, by the path of its value. */
export function* listObjects(schema: Json, path = ''): Generator<[path: string, schema: Json]> {
  if (schema.type === 'object') yield [path, schema]
  for (const [name, part] of Object.entries<Json>(schema.properties ?? {})) yield* listObjects(part, `${path}.${name}`)
  if (schema.items !== undefined) yield* listObjects(schema.items, `${path}[]`)
  if (typeof schema.additionalProperties === 'object') yield* listObjects(schema.additionalProperties, `${path}.*`)
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* listObjects(part, path)
}

/** Every enum of a document, by where it is. */
export function* listEnums(part: unknown, path = ''): Generator<[path: string, values: readonly unknown[]]> {
  if (typeof part !== 'object' || part === null) return
  for (const [name, value] of Object.entries(part)) {
    if (name === 'enum' && Array.isArray(value)) yield [path, value]
    yield* listEnums(value, `${path}/${name}`)
  }
}
