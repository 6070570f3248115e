// Explores clients with retry libraries that nobody here wrote: one that retries creates, and one that does not. The library's
// own documentation, in the first line of each client, says which one is which. Arguments: languages, and --repeat NUMBER.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../../dist/cli/cli.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-retries-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
cpSync(new URL('clients', import.meta.url), folder, { recursive: true })
const filesWith = (extension, of = folder) =>
  readdirSync(of)
    .filter((file) => file.endsWith(extension))
    .toSorted()

/** The words that run each client, by language. Each is prepared on demand. */
const languages = {
  python: () => filesWith('.py').map((file) => ['/usr/bin/python3', join(folder, file)]),
  ruby: () => filesWith('.rb').map((file) => ['/usr/bin/ruby', join(folder, file)]),
  go: () =>
    filesWith('.go').map((file) => {
      const program = join(folder, file.replace('.go', ''))
      const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(folder, 'cache') }
      execFileSync('/usr/bin/go', ['build', '-o', program, join(folder, file)], { env, stdio: 'inherit' })
      return [program]
    }),
  npm: () => {
    const npm = join(folder, 'npm')
    execFileSync('npm', ['install', '--silent', '--no-audit', '--ignore-scripts', '--prefer-offline'], { cwd: npm })
    return filesWith('.js', npm).map((file) => [process.execPath, join(npm, file)])
  },
}

const explore = (words) => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'explore', '--seed', 'empty', '--json', '--', ...words],
    { encoding: 'utf8' },
  )
  if (stdout.length === 0) throw new Error(`${words.join(' ')}: ${stderr}`)
  const { failures, notTried } = JSON.parse(stdout)
  return [
    ...failures.map(({ replay, differences }) => `${replay} ${differences}`),
    ...notTried.map(({ replay }) => replay),
  ]
}

const args = process.argv.slice(2)
const at = args.indexOf('--repeat')
const [, repeat = '1'] = at < 0 ? [] : args.splice(at, 2)
let wrong = 0
const expectVerdict = (words, isRight, found) => {
  const name = words.map((word) => basename(word)).join(' ')
  console.log(`${isRight ? 'right' : 'WRONG'}  ${name}: ${found.length === 0 ? 'no failures' : found.join('; ')}`)
  if (!isRight) wrong++
}
for (const language of args.length > 0 ? args : Object.keys(languages))
  for (const client of languages[language]()) {
    const retried = explore([...client, 'retried'])
    const isSecond = retried.some((failure) => failure === '1.after.reset 2 payment links of inv_7 instead of 1')
    expectVerdict([...client, 'retried'], isSecond, retried)
    for (let run = 0; run < Number(repeat); run++) {
      const once = explore([...client, 'once'])
      expectVerdict([...client, 'once'], once.length === 0, once)
    }
  }
console.log(wrong === 0 ? 'retries: ok' : `retries: ${wrong} wrong verdicts`)
process.exitCode = wrong === 0 ? 0 : 1
