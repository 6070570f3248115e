// Proves: Tokens.
import { spawn, type ChildProcessByStdio, type SpawnOptions, type StdioOptions } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { findLeaks } from '../../support/canary.ts'
import { within } from '../../support/within.ts'

/** The shipped command. */
export const cliPath = fileURLToPath(new URL('../../../dist/cli/cli.js', import.meta.url))

type Environment = Readonly<Record<string, string>>

/** The exit of a process, and its whole output. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

type Running = ReturnType<typeof run>

// Without the environment of the machine, whose variables and certificates could change or slow down the command.
const environment = (own: Environment): Environment => ({ PATH: process.env.PATH ?? '', ...own })

interface As extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  /** A file for stderr, instead of the captured output. */
  readonly stderr?: number
}

/** Starts a program under Node, and kills it after the test. */
export const run = (args: readonly string[], env: Environment = {}, { stderr, ...as }: As = {}) => {
  const stdio: StdioOptions = ['ignore', 'pipe', stderr ?? 'pipe']
  const child = spawn(process.execPath, args, { ...as, env: environment(env), stdio }) as ChildProcessByStdio<
    null,
    Readable,
    Readable
  >
  const said = { out: '', err: '' }
  const news = new EventEmitter()
  const hear = (stream: 'out' | 'err', source: Readable) =>
    source.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text
      news.emit('said')
    })
  hear('out', child.stdout)
  if (stderr === undefined) hear('err', child.stderr)
  const end = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      resolve({ code, signal, ...said })
      news.emit('said')
    })
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    child.stdout.destroy()
    if (stderr === undefined) child.stderr.destroy()
    await end
    expect(findLeaks(said.out + said.err), 'a token in what a process says').toEqual([])
  })
  /** Resolves with the first match in the output before the end of the process. */
  const says = (stream: 'out' | 'err', pattern: RegExp) => {
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(said[stream])
        if (match !== null) resolve(match)
      }
      news.on('said', look)
      look()
      void end.then(({ code }) =>
        reject(new Error(`Ended with ${code} and without ${pattern}: ${said.out}${said.err}`)),
      )
    })
    return within(String(pattern), found)
  }
  return {
    child,
    out: () => said.out,
    err: () => said.err,
    says,
    /** Resolves when the process has ended. @default limit 30 s */
    ended: (limit?: number) => within('the process to end', end, limit),
  }
}

/** Runs the command to its end. A search has five minutes. */
export const runCli = (args: readonly string[], env?: Environment) => run([cliPath, ...args], env).ended(300_000)

/** Starts a mock on a free port, and waits for its ready line. */
export const startCli = async (args: readonly string[] = [], env?: Environment) => {
  const running = run([cliPath, '--port', '0', ...args], env)
  const [, url = ''] = await running.says('out', /ready on (\S+)\n/)
  return { ...running, url, port: Number(new URL(url).port) }
}

/** Sends a signal, and returns how the process ended. */
export const stopWith = async (mock: Running, signal: NodeJS.Signals): Promise<Ended> => {
  mock.child.kill(signal)
  return mock.ended()
}

const removing = `import { removeDeadlines } from '${new URL('deadlines.js', import.meta.url).href}'; removeDeadlines()`

/** The environment of a process without deadlines: it ends at once or never. */
export const noDeadlines: Environment = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(removing)}`,
}

/** A folder that is deleted after the test. */
export const emptyFolder = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'paylink-mock-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A file with this text, which is deleted after the test. */
export const fileWith = (text: string | Uint8Array, name = 'seed.json'): string => {
  const path = join(emptyFolder(), name)
  writeFileSync(path, text)
  return path
}

/** A seed file with these records. */
export const seedFile = (seed: unknown): string => fileWith(JSON.stringify(seed))
