import { execFileSync } from 'node:child_process'

/** Compiles the package once: the command line is tested as it is shipped. */
export default (): void => {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
