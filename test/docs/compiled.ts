import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { skipped } from '../support/browser.ts'
import { executablePath } from '../support/chromium-path.js'
import { flags } from '../support/chromium.ts'
import { type Folder, root } from '../support/installed.ts'
import { type Block, blocks } from './pages.ts'

type Runner = 'node' | 'vitest' | 'playwright' | 'none'

const snippets = blocks('ts')

/** Writes the TypeScript of the guides to a folder, and compiles it. */
export const compileSnippets = async (folder: Folder): Promise<void> => {
  for (const snippet of snippets) writeFileSync(join(folder.path, `${nameOf(snippet)}.ts`), snippet.code)
  cpSync(join(root, 'test/docs/stubs'), join(folder.path, 'node_modules'), { recursive: true })
  const compilerOptions = { outDir: 'out', noEmit: false, allowJs: false, rootDir: '.', types: ['node'], paths: {} }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }
  writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(config))
  const use = { launchOptions: { executablePath, args: flags } }
  writeFileSync(join(folder.path, 'out.config.js'), `export default ${JSON.stringify({ testDir: 'out', use })}`)
  await compile(folder)
}

/** Compiles the files of the folder. */
export const compile = async (folder: Folder, ...options: string[]): Promise<void> => {
  const args = ['node_modules/typescript/bin/tsc', '-p', '.', ...options]
  await promisify(execFile)(process.execPath, args, { cwd: folder.path }).catch((error: { stdout: string }) => {
    throw new Error(`The snippets do not compile:\n${error.stdout}`)
  })
}

/** The compiled snippets that a runner runs. */
export const filesOf = (runner: Runner): string[] =>
  snippets.filter((snippet) => runnerOf(snippet) === runner).map((snippet) => `out/${nameOf(snippet)}.js`)

// Without an engine of containers, or a browser, it is enough that it compiles.
const runnerOf = ({ code }: Block): Runner => {
  if (/from '(paylink-mock\/)?vitest'/.test(code)) return 'vitest'
  if (code.includes("from '@playwright/test'")) return skipped ? 'none' : 'playwright'
  return code.includes("from 'testcontainers'") ? 'none' : 'node'
}

const nameOf = (block: Block): string => {
  const name = block.page.replace(/^docs\/|\.md$/g, '').replaceAll('/', '-')
  return `${name}-${block.line}${{ node: '', none: '', vitest: '.test', playwright: '.spec' }[runnerOf(block)]}`
}
