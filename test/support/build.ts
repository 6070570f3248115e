import { execFileSync } from 'node:child_process'

/** Builds the package if it has changed, because tests run the shipped command line. */
export default (): void => {
  execFileSync(process.execPath, ['.build.js'], { cwd: new URL('../../', import.meta.url).pathname, stdio: 'inherit' })
}
