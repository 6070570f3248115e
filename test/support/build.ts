import { execFileSync } from 'node:child_process'

/** Builds the package if it has changed: the command line is tested as it is shipped. */
export default (): void => {
  execFileSync(process.execPath, ['.build.js'], { cwd: new URL('../../', import.meta.url).pathname, stdio: 'inherit' })
}
