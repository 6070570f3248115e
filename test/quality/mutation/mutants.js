// Small changes of the sources, each of which should make a test fail.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/**
 * A change of one place in a file. `before` and `after` are the code around it, in one line.
 *
 * @typedef {{ file: string, start: number, end: number, replacement: string, before: string, after: string }} Mutant
 */

const swaps = new Map(
  [
    ['===', '!=='],
    ['<', '<='],
    ['>', '>='],
    ['+', '-'],
    ['*', '/'],
    ['&&', '||'],
    ['+=', '-='],
    ['++', '--'],
    ['some', 'every'],
    ['startsWith', 'endsWith'],
    ['min', 'max'],
    ['floor', 'ceil'],
  ].flatMap(([a, b]) => [
    [a, b],
    [b, a],
  ]),
)

// A call of these returns something of the kind that it is called on, so that a chain works without it.
const links = new Set(['filter', 'flat', 'normalize', 'slice', 'toLowerCase', 'toReversed', 'toSorted', 'trim'])

// The second argument of these is the prose of a document, which no test compares.
const prose = new Set(['described', 'register'])

/** For each type of node, its changes: `[start, end, replacement]`. */
const mutators = {
  ArrayExpression: ({ elements }, text) => removals(elements, text),
  ObjectExpression: ({ properties }, text) => removals(properties, text),
  AssignmentExpression: (node, text) => swap(node.operator, node.left.end, node.right.start, text),
  AssignmentPattern: ({ left, end }) => [[left.end, end, '']],
  AwaitExpression: ({ start }) => [[start, start + 'await '.length, '']],
  BinaryExpression: (node, text) => swap(node.operator, node.left.end, node.right.start, text),
  CallExpression: ({ callee, end }) => (links.has(callee.property?.name) ? [[callee.object.end, end, '']] : []),
  CatchClause: ({ body }) => [[body.start, body.end, `{ throw new Error('mutant') }`]],
  ConditionalExpression: ({ test }) => [
    [test.start, test.end, 'true'],
    [test.start, test.end, 'false'],
  ],
  ExpressionStatement: ({ start, end, directive }) => (directive ? [] : [[start, end, ';']]),
  IfStatement: ({ test }) => [
    [test.start, test.end, 'true'],
    [test.start, test.end, 'false'],
  ],
  Literal: ({ start, end, value }) => literal(value).map((replacement) => [start, end, replacement]),
  LogicalExpression: (node, text) => {
    const { operator, start, left, right, end } = node
    // Parentheses around a side are outside it.
    const middle = text.indexOf(operator, left.end)
    return [...swap(operator, left.end, right.start, text), [middle, end, ''], [start, middle + operator.length, '']]
  },
  MemberExpression: ({ object, property, optional, end }, text) => [
    ...(optional
      ? [[object.end, end, text.slice(object.end, end).replace('?.', text[object.end + 2] === '[' ? '' : '.')]]
      : []),
    ...swap(property.name, property.start, property.end, text),
  ],
  UnaryExpression: ({ operator, start }) => (operator === '!' ? [[start, start + 1, '']] : []),
  UpdateExpression: (node, text) => swap(node.operator, node.start, node.end, text),
}

const swap = (operator, start, end, text) =>
  swaps.has(operator) ? [[start, end, text.slice(start, end).replace(operator, swaps.get(operator))]] : []

const removals = (list, text) =>
  list.filter(Boolean).map(({ start, end }) => [start, text[end] === ',' ? end + 1 : end, ''])

const literal = (value) => {
  if (typeof value === 'number') return [String(value + 1), String(value - 1)]
  if (typeof value === 'boolean') return [String(!value)]
  return typeof value === 'string' && value !== '' && !value.includes(' ') ? [`''`] : []
}

/** All mutants of the source files in a folder, or of one file. */
export const listMutants = (root, path) => {
  const files = path.endsWith('.ts')
    ? [path]
    : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((file) => join(path, file))
  return files
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .flatMap((file) => mutate(file, readFileSync(join(root, file), 'utf8')))
}

/** @returns {Mutant[]} */
export const mutate = (file, text) => {
  const mutants = []
  const visit = (node, parent) => {
    if (Array.isArray(node)) for (const each of node) visit(each, parent)
    if (typeof node?.type !== 'string' || isIgnored(node, parent)) return
    for (const [start, end, replacement] of mutators[node.type]?.(node, text) ?? []) {
      // Enough of the code around it to recognize the change in a list.
      const shown = end - start < 12 && parent.end - parent.start < 120 ? parent : node
      const before = text.slice(shown.start, shown.end)
      const after = text.slice(shown.start, start) + replacement + text.slice(end, shown.end)
      mutants.push({ file, start, end, replacement, before: inOneLine(before), after: inOneLine(after) })
    }
    for (const key in node) if (typeof node[key] === 'object') visit(node[key], node)
  }
  const program = parseAst(text, { lang: 'ts' })
  visit(program, program)
  return mutants
}

const inOneLine = (code) => code.replaceAll(/\s+/g, ' ').trim()

const expressions = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

/** Types, imports, names of properties and prose. */
const isIgnored = (node, parent) =>
  (node.type.startsWith('TS') && !expressions.has(node.type)) ||
  (/^(?:Import|Export(?:All|Named)Declaration$)/.test(node.type) && node.source != null) ||
  (parent.type === 'Property' && parent.key === node && !parent.computed) ||
  (parent.type === 'CallExpression' &&
    prose.has(parent.callee.name ?? parent.callee.property?.name) &&
    parent.arguments.indexOf(node) === 1)

/** A list in an order that depends only on the seed. */
export const shuffle = (list, seed) => {
  const shuffled = [...list]
  let state = seed
  const random = () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]]
  }
  return shuffled
}
