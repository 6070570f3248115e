import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import type { ts as TypeScript } from '@ts-morph/common'
import { expect, it } from 'vitest'

const { ts } = createRequire(import.meta.url)('@ts-morph/common') as { ts: typeof TypeScript }

const root = new URL('../../../', import.meta.url).pathname
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { readonly types?: string }>
}
const entries = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [join(root, types)]))

it('each exported name and each public field has a sentence that users read on hover', () => {
  const program = ts.createProgram(entries, { module: ts.ModuleKind.NodeNext, noLib: true, types: [] })
  const checker = program.getTypeChecker()
  const missing = new Set<string>()
  const seen = new Set<TypeScript.Node>()

  const resolve = (symbol: TypeScript.Symbol): TypeScript.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const isOwn = (node: TypeScript.Node) => node.getSourceFile().fileName.startsWith(join(root, 'dist/'))

  const requireSentence = (symbol: TypeScript.Symbol, name: string) => {
    // The sentence is before the first tag.
    if (ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() === '') missing.add(name)
  }
  /** Follows the types that a declaration names, and checks the fields that it declares. */
  const visit = (node: TypeScript.Node, given: string): void => {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const symbol = checker.getSymbolAtLocation(ts.isTypeReferenceNode(node) ? node.typeName : node.expression)
      if (symbol !== undefined) follow(resolve(symbol))
    }
    // The sentence of a function describes the fields of its parameters.
    const owner = ts.isParameter(node) || ts.isTypeParameterDeclaration(node) ? '' : given
    const isField = ts.isPropertySignature(node) || ts.isMethodSignature(node) || ts.isPropertyDeclaration(node)
    const name = isField && owner !== '' ? `${owner}.${node.name.getText()}` : owner
    if (isField && owner !== '') requireSentence(checker.getSymbolAtLocation(node.name)!, name)
    ts.forEachChild(node, (child) => visit(child, name))
  }
  const follow = (symbol: TypeScript.Symbol) => {
    for (const declaration of symbol.declarations ?? []) {
      if (seen.has(declaration) || !isOwn(declaration)) continue
      seen.add(declaration)
      visit(declaration, symbol.name)
    }
  }
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = resolve(exported)
      if (!symbol.declarations?.some(isOwn)) continue
      requireSentence(symbol, `${relative(root, entry)}: ${exported.name}`)
      follow(symbol)
    }
  }
  expect(seen.size).toBeGreaterThan(100)
  expect([...missing].toSorted()).toEqual([])
})
