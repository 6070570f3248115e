/** Every field of a schema at any depth, and values for it. */
import fc from 'fast-check'
import * as z from 'zod/mini'

type Schema = z.core.$ZodType

/** The nullable fields of a user that a client may send. A new one needs only an entry here. */
export const nullableNames = ['birthday', 'fullName'] as const

/** A field, and bodies with a value for it. */
export interface Field {
  /** `projects.*.users[].email`; empty for the body itself. */
  readonly path: string
  /** A body with all required fields, so that only the value can be invalid. */
  readonly createBody: (value: unknown) => unknown
  /** A body with only this field; a list has the item twice. */
  readonly createPartialBody: (value: unknown) => unknown
}

export const jsonValues: Readonly<Record<string, unknown>> = {
  null: null,
  'a number': 7,
  'a string': 'seven',
  'an array': [null, 7, 'seven', [], {}],
  'an object': { seven: 7 },
}

/** More values of JSON texts and of callers in the same process. */
export const oddValues: Readonly<Record<string, unknown>> = {
  ...jsonValues,
  'a boolean': true,
  'an empty string': '',
  'half of a surrogate pair': '\ud800',
  'a name that every object has': 'constructor',
  'a path': '/projects/acme/users',
  zero: 0,
  'a negative number': -1,
  'a fraction': 1.5,
  'a large number': 1e308,
  NaN,
  'a big integer': 7n,
  undefined: undefined,
  'an empty array': [],
  'an empty object': {},
  'an object without a prototype': Object.assign(Object.create(null), { a: null }),
  'an object with names of its prototype': JSON.parse('{ "__proto__": null, "constructor": null, "toString": null }'),
  'an invalid date': new Date(NaN),
  'a function': () => 7,
  'a symbol': Symbol('seven'),
}

/** Every field of a schema, the whole body first, with all variants of unions. */
export const listFields = (schema: Schema): Field[] => {
  const whole: Field = { path: '', createBody: (value) => value, createPartialBody: (value) => value }
  const all = [whole, ...below(schema)]
  return [...new Map(all.map((field) => [JSON.stringify([field.path, field.createBody(0)]), field])).values()]
}

const below = (schema: Schema): Field[] => {
  const inner = unwrap(schema)
  if (inner instanceof z.core.$ZodUnion) return inner._zod.def.options.flatMap((option) => below(option))
  if (inner instanceof z.core.$ZodArray) {
    const twice = (value: unknown) => [value, value]
    return wrapped('[]', inner._zod.def.element, (value) => [value], twice)
  }
  if (inner instanceof z.core.$ZodRecord) return wrapped('.*', inner._zod.def.valueType, (acme) => ({ acme }))
  if (!(inner instanceof z.core.$ZodObject)) return []
  const required = createSample(inner) as object
  return Object.entries<Schema>(inner._zod.def.shape).flatMap(([name, field]) => {
    const alone = (value: unknown) => ({ [name]: value })
    return wrapped(`.${name}`, field, (value) => ({ ...required, ...alone(value) }), alone)
  })
}

type Wrap = (value: unknown) => unknown

const wrapped = (name: string, schema: Schema, wrap: Wrap, alone = wrap): Field[] =>
  listFields(schema).map(({ path, createBody, createPartialBody }) => ({
    path: `${name}${path}`,
    createBody: (value) => wrap(createBody(value)),
    createPartialBody: (value) => alone(createPartialBody(value)),
  }))

const { $ZodOptional, $ZodNullable, $ZodDefault } = z.core

const unwrap = (schema: Schema): Schema => {
  if (schema instanceof $ZodOptional || schema instanceof $ZodNullable || schema instanceof $ZodDefault)
    return unwrap(schema._zod.def.innerType)
  if (schema instanceof z.core.$ZodPipe)
    return unwrap(schema._zod.def.in instanceof z.core.$ZodTransform ? schema._zod.def.out : schema._zod.def.in)
  return schema
}

const candidates: readonly unknown[] = [
  'acme ada@example.com 2025-01-01 2025-01-01T00:00:00.000Z en-US usr_1 pml_1 inv_1'.split(' '),
  'https://shop.example/done /projects/acme/users user paymentLink partner real frozen stepping'.split(' '),
  'active succeeded createUser GET'.split(' '),
  [7, 1, true, null],
].flat()

/** A valid value with only the required fields. */
const createSample = (schema: Schema): unknown => {
  const inner = unwrap(schema)
  if (inner instanceof z.core.$ZodObject)
    return Object.fromEntries(
      Object.entries<Schema>(inner._zod.def.shape)
        .filter(([, field]) => !z.safeParse(field, undefined).success)
        .map(([name, field]) => [name, createSample(field)]),
    )
  if (inner instanceof z.core.$ZodArray) return []
  if (inner instanceof z.core.$ZodRecord) return {}
  if (inner instanceof z.core.$ZodUnion) return createSample(inner._zod.def.options[0]!)
  return candidates.find((one) => z.safeParse(schema, one).success) ?? {}
}

/** A body of this schema in which some fields are valid and some are odd. */
export const anyBody = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(oddValues)) },
    { weight: 4, arbitrary: shapedBody(unwrap(schema)) },
  )

const shapedBody = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema instanceof z.core.$ZodUnion) return fc.oneof(...schema._zod.def.options.map((option) => anyBody(option)))
  if (schema instanceof z.core.$ZodArray) return fc.array(anyBody(schema._zod.def.element), { maxLength: 3 })
  if (schema instanceof z.core.$ZodRecord)
    return fc.dictionary(fc.constantFrom('acme', '__proto__', '', '\ud800'), anyBody(schema._zod.def.valueType), {
      maxKeys: 2,
    })
  if (!(schema instanceof z.core.$ZodObject)) return fc.constant(createSample(schema))
  const fields = Object.entries<Schema>(schema._zod.def.shape).map(([name, field]) => [name, anyBody(field)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] })
}
