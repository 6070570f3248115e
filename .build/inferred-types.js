// Prints the types that are inferred from schemas, for the declarations: the package does not install zod. The compiler knows
// the types. The sentence of a field is that of its schema, which the OpenAPI documents show too.
import { readdirSync } from 'node:fs'
import * as ast from 'typescript/unstable/ast/is'
import { API, NodeBuilderFlags, SymbolFlags, TypeFlags } from 'typescript/unstable/sync'

const api = new API({ cwd: process.cwd() })
const [{ checker, program }] = api.updateSnapshot({ openProjects: ['src/tsconfig.build.json'] }).getProjects()

const show = (type) => checker.typeToString(type, undefined, NodeBuilderFlags.NoTruncation)

/** The value of a literal. Any other expression fails the build: a sentence is one text, in its place. */
const getValue = (node) => checker.getTypeAtLocation(node).value.toString()

/** Finds the sentence of a field in the expression of its schema, or in the definition of a behavior. */
const findSentence = (node) => {
  if (node === undefined) return
  if (ast.isCallExpression(node))
    return node.expression.text === 'described' ? getValue(node.arguments[1]) : findSentence(node.arguments[0])
  if (ast.isShorthandPropertyAssignment(node)) return getSentence(checker.getShorthandAssignmentValueSymbol(node))
  if (ast.isIdentifier(node) || ast.isPropertyAccessExpression(node))
    return getSentence(checker.getSymbolAtLocation(node))
  if (!ast.isObjectLiteralExpression(node)) return findSentence(node.initializer)
  const { values, summary } = Object.fromEntries(node.properties.map((one) => [one.name?.text, one.initializer]))
  return summary && `${getValue(summary)} Default \`${getValue(values.elements[0])}\`.`
}
const getSentence = ({ declarations: [declaration] }) => findSentence(declaration?.resolve())

const printField = (field) => {
  const sentence = getSentence(field)
  // The flag of a readonly field, for which the compiler exports no name.
  const name = `${field.checkFlags & 8 ? 'readonly ' : ''}${field.name}${field.flags & SymbolFlags.Optional ? '?' : ''}`
  return `${sentence ? `\n/** ${sentence} */\n` : ''}${name}: ${print(checker.getTypeOfSymbol(field))};`
}

const printStructure = (type) => {
  const list = (types, separator) => types.map(print).join(separator)
  if (type.isUnionType()) {
    const empty = type.getTypes().filter(({ flags }) => flags & (TypeFlags.Null | TypeFlags.Undefined))
    if (empty.length > 0) return list([checker.getNonNullableType(type), ...empty.toReversed()], ' | ')
    return type.getTypes().some((one) => one.isObjectType()) ? list(type.getTypes(), ' | ') : show(type)
  }
  if (checker.isArrayType(type)) return `${type.getTarget().getSymbol().name}<${list(checker.getTypeArguments(type))}>`
  const alias = type.getAliasSymbol()?.name
  if (alias === 'Record' || alias === 'Readonly') return `${alias}<${list(type.getAliasTypeArguments(), ', ')}>`
  const fields = type.isObjectType() ? checker.getPropertiesOfType(type) : []
  return fields.length > 0 ? `{ ${fields.map(printField).join(' ')} }` : show(type)
}

/** How a declaration names an inferred type: by its id, and by its text, because the input of a schema is another type. */
const references = new Map()
const print = (type) => {
  const text = references.get(type.id) ?? printStructure(type)
  return references.get(text) ?? text
}

const inferredType = /type (\w+) = z\.(?:infer|input|output)<typeof \w+>;?/g
const named = readdirSync('src/core/schema').flatMap((file) => {
  const source = program.getSourceFile(`${process.cwd()}/src/core/schema/${file}`)
  return [...(source?.text ?? '').matchAll(inferredType)].map(([, name]) => {
    const alias = checker.resolveName(name, SymbolFlags.TypeAlias, source)
    return { file, name, type: checker.getDeclaredTypeOfSymbol(alias) }
  })
})
for (const { type, file, name } of named) references.set(type.id, `import('./${file}').${name}`)
for (const { type } of named) references.set(printStructure(type), references.get(type.id))

/** A plugin that writes out the inferred types of a declaration file. */
export const inferredTypes = {
  name: 'inferred-types',
  transform: {
    order: 'pre',
    filter: { id: /\/schema\/[\w-]+\.d\.ts$/ },
    handler: (code, id) => {
      const file = id.replace(/.*\/(.+)\.d\.ts$/, '$1.ts')
      const printAlias = (_, name) => {
        const { type } = named.find((one) => one.file === file && one.name === name)
        const text = printStructure(type)
        return text.startsWith('{') && !type.isUnionType() ? `interface ${name} ${text}` : `type ${name} = ${text};`
      }
      return code.replace(inferredType, printAlias).replaceAll(`import('./${file}').`, '')
    },
  },
  closeBundle: () => api.close(),
}
