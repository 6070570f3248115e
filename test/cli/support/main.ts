import { onTestFinished } from 'vitest'
import { main } from '../../../src/cli/run-command-line.ts'
import type { CommandConsole } from '../../../src/command-line/terminal.ts'

/** Runs a command line in this process, without a terminal unless `console` says otherwise. */
export const runMain = async (
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  console: Partial<CommandConsole> = {},
) => {
  const said = { out: '', err: '' }
  try {
    const outcome = await main(argv, env, {
      out: (text) => (said.out += text),
      err: (text) => (said.err += text),
      onTerminal: false,
      invocation: 'npx paylink-mock',
      ...console,
    })
    return { outcome, ...said }
  } finally {
    // The server of a command replaces them in its own process, but here other tests follow.
    Object.assign(globalThis, standardClasses)
  }
}

const standardClasses = { Request, Response }

/**
 * Starts a mock on a free port in this process, and closes it after the test; `startCli` uses a separate process. The next test
 * does not wait: the server gives its clients a quarter of a second.
 */
export const startHere = async (argv: readonly string[] = [], env?: Readonly<Record<string, string>>) => {
  const { outcome, out, err } = await runMain(['--port', '0', ...argv], env)
  if (!('server' in outcome)) throw new Error(`${argv.join(' ')} did not start: ${err}`)
  const { server } = outcome
  onTestFinished(() => void server.close())
  const [, url = ''] = /ready on (\S+)\n/.exec(out) ?? []
  return { url, port: server.port, out, err }
}

/** Runs a command line in this process to its end; `runCli` uses a separate process. */
export const runHere = async (argv: readonly string[], env?: Readonly<Record<string, string>>) => {
  const { outcome, out, err } = await runMain(argv, env)
  if ('server' in outcome) throw new Error(`${argv.join(' ')} did not end.`)
  return { code: outcome.exitCode, out, err }
}
