import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ts as TypeScript } from '@ts-morph/common'
import { expect, it } from 'vitest'

const { ts } = createRequire(import.meta.url)('@ts-morph/common') as { ts: typeof TypeScript }

const root = new URL('../../../', import.meta.url).pathname
interface Entry {
  readonly types: string
  readonly default: string
  readonly node?: string
}
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | Entry>
}

/** Each entry, and the file behind it under each condition. */
const faces = Object.entries(exports).flatMap(([path, entry]): [name: string, types: string, file: string][] => {
  if (typeof entry === 'string') return []
  const { types, default: file, node } = entry
  if (node === undefined) return [[path, types, file]]
  return [
    [`${path} (node)`, types, node],
    [`${path} (elsewhere)`, types, file],
  ]
})

/** The names that a declaration file exports, values and types. */
const declaredIn = (file: string): string[] => {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 }
  const program = ts.createProgram([file], { ...options, noLib: true, types: [] })
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!
  return checker.getExportsOfModule(module).map(({ name }) => name)
}

it.each(faces)('the public surface of %s is what it was', async (_, types, file) => {
  const values = Object.keys(await import(join(root, file))).toSorted()
  const declared = declaredIn(join(root, types)).toSorted()
  expect(declared).toEqual(expect.arrayContaining(values))
  expect({ values, types: declared.filter((name) => !values.includes(name)) }).toMatchSnapshot()
})
