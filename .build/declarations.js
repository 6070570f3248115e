// Reduces the declarations of the compiler to those that the entries reach. The others mention packages that are bundled,
// and so are not installed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/**
 * Copies the declarations that are reachable from the entries, file by file.
 *
 * @param entries the entries, without an extension
 * @param allowed the packages that declarations may import
 * @throws Error that lists the imports of other packages
 */
export const writeDeclarations = (from, to, entries, allowed) => {
  const modules = new Map()
  const partsOf = (file) => {
    if (!modules.has(file)) modules.set(file, parse(readFileSync(file, 'utf8')))
    return modules.get(file)
  }
  const foreign = []

  /** Keeps what declares a name in a file, as a type or as a value. Returns whether anything does. */
  const reach = (file, name, space) => {
    const found = partsOf(file).filter(
      (part) => part[space].includes(name) || (part.isStar && inStar(file, part, name, space)),
    )
    for (const part of found.filter(({ kept }) => !kept.has(space))) keep(file, part, space)
    return found.length > 0
  }
  const keep = (file, part, space) => {
    part.kept.add(space)
    for (const use of part.uses ?? []) reach(file, use.name, use.space)
    if (part.isStar || part.name === undefined) return
    if (part.source === undefined) reach(file, part.name, space)
    else if (part.source.startsWith('.')) reach(targetOf(file, part), part.name, space)
    else if (!allowed.includes(part.source)) foreign.push(`${relative(from, file)}: ${part.name} of ${part.source}`)
  }
  const inStar = (file, part, name, space) => reach(targetOf(file, part), name, space)

  for (const entry of entries) {
    const file = join(from, `${entry}.d.ts`)
    for (const part of partsOf(file).filter(({ isExport }) => isExport))
      for (const space of ['types', 'values']) if (part[space].length > 0) keep(file, part, space)
  }
  if (foreign.length > 0)
    throw new Error(`The declarations need packages that are not installed:\n${foreign.join('\n')}`)
  for (const [file, parts] of modules) {
    const kept = parts.filter((part) => part.kept.size > 0)
    if (kept.length === 0) continue
    const output = join(to, relative(from, file))
    mkdirSync(dirname(output), { recursive: true })
    const text = kept.map(print).join('\n')
    // Without the last line, everything would be exported.
    writeFileSync(output, `${getLibReference(text)}${text}\nexport {};\n`)
  }
}

const targetOf = (file, { source }) => join(dirname(file), source.replace(/\.[jt]s$/, '.d.ts'))

// Only the newest language version and the types of Node declare this name.
const getLibReference = (text) =>
  text.includes('AsyncDisposable') ? '/// <reference lib="esnext.disposable" />\n' : ''

const print = ({ text, keyword, name, alias, source, kept }) => {
  if (text !== undefined) return text
  const type = kept.has('values') ? '' : ' type'
  const specifier = name === alias ? name : `${name} as ${alias}`
  return `${keyword}${type} { ${specifier} }${source === undefined ? '' : ` from '${source}'`};`
}

/** The parts of a declaration file: one for each declaration, and one for each name in an import or export. */
const parse = (text) => {
  let end = 0
  return parseAst(text, { lang: 'dts' }).body.flatMap((statement) => {
    // A comment belongs to what follows it.
    const own = text.slice(end, statement.end).trim()
    end = statement.end
    return partsIn(statement, own).map((part) => ({ types: [], values: [], ...part, kept: new Set() }))
  })
}

const partsIn = (statement, text) => {
  const { type, declaration = statement, specifiers = [], source } = statement
  if (type === 'ExportAllDeclaration') return [{ text, isStar: true, source: source.value }]
  const isExport = type === 'ExportNamedDeclaration'
  if (type === 'ImportDeclaration' || (isExport && declaration === null))
    return specifiers.map((specifier) => linkOf(specifier, isExport, statement))
  const names = declaredNames(declaration)
  return [
    { text, isExport: isExport || declaration.type === 'TSModuleDeclaration', ...names, uses: usesIn(declaration) },
  ]
}

const linkOf = ({ local, imported, exported, importKind, exportKind }, isExport, statement) => {
  const name = isExport ? local.name : (imported?.name ?? '*')
  const alias = isExport ? exported.name : local.name
  const isType = [importKind, exportKind, statement.importKind, statement.exportKind].includes('type')
  const keyword = isExport ? 'export' : 'import'
  return {
    isExport,
    keyword,
    name,
    alias,
    source: statement.source?.value,
    types: [alias],
    values: isType ? [] : [alias],
  }
}

const declaredNames = ({ type, id, declarations }) => {
  // An augmentation of another module counts as exported.
  if (type === 'TSModuleDeclaration') return { types: [id.value] }
  if (type === 'VariableDeclaration') return { values: declarations.map((each) => each.id.name) }
  if (type === 'TSDeclareFunction') return { values: [id.name] }
  if (type === 'ClassDeclaration') return { types: [id.name], values: [id.name] }
  return { types: [id.name] }
}

/** The names that a declaration refers to. */
const usesIn = (node) => {
  if (node === null || typeof node !== 'object') return []
  const own = {
    TSTypeReference: { of: node.typeName, space: 'types' },
    TSInterfaceHeritage: { of: node.expression, space: 'types' },
    TSClassImplements: { of: node.expression, space: 'types' },
    TSTypeQuery: { of: node.exprName, space: 'values' },
    ClassDeclaration: { of: node.superClass, space: 'values' },
  }[node.type]
  const inside = Object.values(node).flatMap(usesIn)
  return own?.of ? [{ name: firstName(own.of), space: own.space }, ...inside] : inside
}

const firstName = (name) => (name.type === 'TSQualifiedName' ? firstName(name.left) : name.name)
