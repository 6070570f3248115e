import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('../../', import.meta.url).pathname

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => statSync(join(root, folder, file)).mtimeMs,
    ),
  )

/** Compiles the package when it has changed: the command line is tested as it is shipped. */
export default (): void => {
  // Two runs at once must not take the files away from under each other.
  if (existsSync(join(root, 'dist/index.js')) && statSync(join(root, 'dist/index.js')).mtimeMs > newest('src')) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
}
