import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = new URL('../../', import.meta.url).pathname

/** A folder outside this repository. */
export type Folder = ReturnType<typeof installedFolder>

/** An empty package with the packed mock. Its dependencies are linked, so that no registry is called. */
export const installedFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'paylink-mock-'))
  const modules = join(path, 'node_modules')
  for (const name of listPackages(join(root, 'node_modules'))) {
    mkdirSync(join(modules, name, '..'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  // The global setup has already built the package.
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', path]
  const tarball = execFileSync('npm', pack, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  mkdirSync(join(modules, 'paylink-mock'))
  execFileSync('tar', ['-xzf', join(path, tarball), '-C', join(modules, 'paylink-mock'), '--strip-components=1'])
  writeFileSync(join(path, 'package.json'), '{ "name": "user", "type": "module", "private": true }')
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

const listPackages = (modules: string): string[] =>
  readdirSync(modules).flatMap((name) => {
    if (name.startsWith('.') || name === 'paylink-mock') return []
    return name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : [name]
  })
