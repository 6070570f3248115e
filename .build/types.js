// Writes out the types of schemas in declarations, which must not mention zod: it is bundled, and so not installed.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const alias = /^(export )?type (\w+) = z\.(infer|input)<typeof (\w+)>;$/gm
const keys = /^(export )?type (\w+) = keyof typeof (\w+);$/gm

/**
 * Replaces `type User = z.infer<typeof User>` by the fields of the schema, with their descriptions as comments, and
 * `type ErrorCode = keyof typeof errorDefinitions` by the names of the table.
 */
export const writeTypes = async (source, declarations) => {
  const sources = (existsSync(source) ? readdirSync(source) : []).filter((file) => file.endsWith('.ts'))
  const files = sources.map((file) => file.replace(/\.ts$/, ''))
  if (files.length === 0) return
  const modules = await importSources(source, files)
  const texts = new Map(files.map((file) => [file, readFileSync(`${declarations}/${file}.d.ts`, 'utf8')]))
  // The schemas that have a named type: other types refer to it.
  const named = new Map()
  for (const [file, exports] of modules)
    for (const [name, schema] of Object.entries(exports))
      if (schema?._zod && texts.get(file).includes(`export type ${name} =`)) named.set(schema, { name, file })
  const { documentation } = modules.get('zod-helpers')
  for (const [file, text] of texts) {
    const imports = new Set()
    const getName = (schema) => {
      const { name, file: from } = named.get(schema) ?? {}
      const isKnown = from === file || new RegExp(`^import .*\\b${name}\\b`, 'm').test(text)
      if (name !== undefined && !isKnown) imports.add(`import type { ${name} } from './${from}.ts';`)
      return name
    }
    const listed = text.replace(keys, (_, exported = '', name, table) => {
      const names = Object.keys(modules.get(file)[table]).map((key) => JSON.stringify(key))
      return `${exported}type ${name} = ${names.join(' | ')};`
    })
    const written = listed.replace(alias, (_, exported = '', name, io, schemaName) => {
      const schema = modules.get(file)[schemaName]
      if (schema === undefined) throw new Error(`The type ${name} of ${file}.ts needs the export of its schema.`)
      return `${exported}type ${name} = ${format(schema, { io, documentation, getName })};`
    })
    writeFileSync(`${declarations}/${file}.d.ts`, [...imports, written].join('\n'))
  }
}

/** Imports files of a source folder, which share their modules. */
export const importSources = async (source, files) => {
  const input = Object.fromEntries(files.map((file) => [file, `${source}/${file}.ts`]))
  const dir = resolve('dist/.schemas')
  await (await rolldown({ input })).write({ dir })
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(`${dir}/${file}.js`).href)))
  rmSync(dir, { recursive: true })
  return new Map(files.map((file, index) => [file, modules[index]]))
}

const format = (schema, context) => {
  const { def } = schema._zod
  const inner = (part) => context.getName(part) ?? format(part, context)
  const list = (values) => values.map((value) => JSON.stringify(value)).join(' | ')
  const formatField = ([name, field]) => {
    const { description } = context.documentation.get(field) ?? {}
    const comment = description === undefined ? '' : `/** ${description} */\n`
    return `${comment}${name}${field._zod.def.type === 'optional' ? '?' : ''}: ${inner(field)};\n`
  }
  const writers = {
    literal: () => list(def.values),
    enum: () => list(Object.values(def.entries)),
    array: () => `Array<${inner(def.element)}>`,
    record: () => `Record<string, ${inner(def.valueType)}>`,
    union: () => def.options.map(inner).join(' | '),
    nullable: () => `${inner(def.innerType)} | null`,
    optional: () => `${inner(def.innerType)} | undefined`,
    nonoptional: () => inner(def.innerType._zod.def.innerType),
    default: () => inner(def.innerType),
    object: () => `{\n${Object.entries(def.shape).map(formatField).join('')}}`,
    // A transform has no type of its own.
    pipe: () => inner(isTransform(def.in) || (!isTransform(def.out) && context.io !== 'input') ? def.out : def.in),
  }
  return writers[def.type]?.() ?? def.type
}

const isTransform = (schema) => schema._zod.def.type === 'transform'
