import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ts as TypeScript } from '@ts-morph/common'
import { expect, it } from 'vitest'

const { ts } = createRequire(import.meta.url)('@ts-morph/common') as { ts: typeof TypeScript }

const root = new URL('../../', import.meta.url).pathname
type Face = { readonly types: string; readonly default: string }
type Target = string | (Face & { readonly node?: Face })
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, Target> }

const faces = Object.entries(exports).flatMap(([path, target]): [name: string, face: Face][] => {
  if (typeof target === 'string') return []
  const { node, ...rest } = target
  return node === undefined
    ? [[path, rest]]
    : [
        [`${path} (node)`, node],
        [`${path} (elsewhere)`, rest],
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

it.each(faces)('the public surface of %s is what it was', async (_, { types, default: file }) => {
  const values = Object.keys(await import(join(root, file))).toSorted()
  const declared = declaredIn(join(root, types)).toSorted()
  expect(declared).toEqual(expect.arrayContaining(values))
  expect({ values, types: declared.filter((name) => !values.includes(name)) }).toMatchSnapshot()
})
