// Finds the test files that run a place in the sources, so that a mutant meets these only.
import { parseAst } from 'rolldown/parseAst'

/** The file of the tree to which sources that are instrumented append what runs, in any process. */
export const hitsFile = 'coverage/hits'

/**
 * A part of a file that runs as a whole or not at all: a block, the result of an arrow function, a side of a condition.
 *
 * @typedef {{ start: number, end: number, isBlock: boolean }} Region
 */

/** For each type of node, its parts that may not run when it does. */
const parts = {
  ArrowFunctionExpression: ({ body }) => [body],
  BlockStatement: (node) => [node],
  ConditionalExpression: ({ consequent, alternate }) => [consequent, alternate],
  LogicalExpression: ({ right }) => [right],
}

/** @returns {Region[]} */
export const listRegions = (text) => {
  const regions = []
  const visit = (node) => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    if (typeof node?.type !== 'string') return
    for (const { type, start, end } of parts[node.type]?.(node) ?? [])
      if (type !== 'BlockStatement' || node.type === 'BlockStatement')
        regions.push({ start, end, isBlock: type === 'BlockStatement' })
    for (const key in node) if (typeof node[key] === 'object') visit(node[key])
  }
  visit(parseAst(text, { lang: 'ts' }))
  return regions
}

/** The smallest region around a mutant. Code outside of all regions runs when its module is loaded. */
export const regionOf = (regions, { start, end }) => {
  const around = regions.filter((region) => region.start <= start && end <= region.end)
  return around.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0]
}

// In a browser or a Worker there is no file to append to.
const record = (tree) =>
  `globalThis.__hit ??= ((fs, seen) => (id) => seen.has(id) || ` +
  `(seen.add(id), fs?.appendFileSync(${JSON.stringify(`${tree}/${hitsFile}`)}, id + '\\n')))` +
  `(globalThis.process?.getBuiltinModule?.('node:fs'), new Set());`

/** The source, recording `<name>:<start of the region>` at the first run of each region in a process. */
export const instrument = (tree, name, text) => {
  const inserts = listRegions(text).flatMap(({ start, end, isBlock }) => {
    const hit = `globalThis.__hit?.('${name}:${start}-${end}')`
    return isBlock
      ? [[start + 1, 0, `${hit};`]]
      : [
          [start, -end, `(${hit}, `],
          [end, -start, ')'],
        ]
  })
  // At one place, the inner region ends before the outer one, and starts after it.
  const ordered = inserts.toSorted(([a, inA], [b, inB]) => a - b || inA - inB)
  // A program has its interpreter in the first line.
  let from = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0
  let changed = text.slice(0, from) + record(tree)
  for (const [at, , code] of ordered) {
    changed += text.slice(from, at) + code
    from = at
  }
  return changed + text.slice(from)
}
