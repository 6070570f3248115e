import { type Args, readArgs } from '../args.ts'
import { toConnectableHost, loopback } from '../listen-address.ts'
import { readSettings, requireAddress } from '../settings.ts'
import type { CommandConsole } from '../terminal.ts'

/** `health [url]`: checks a running mock. By default, in a container, the mock that runs there. */
export const runHealth = async (args: Args, console: CommandConsole): Promise<number> => {
  const values = { ...args.variables, ...(await readServerFlags(console)), ...args.flags }
  const { host = loopback, port } = readSettings({ ...args, values }, false).listen
  const [operand] = args.operands
  if (operand !== undefined) requireAddress(args, operand)
  const url = operand ?? `http://${toConnectableHost(host)}:${port}`
  try {
    const response = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(2000) })
    if (response.ok) {
      console.out(`${url} is up\n`)
      return 0
    }
    console.err(`${url} returned ${response.status}, so it is not up.\n`)
  } catch {
    console.err(`${url} does not respond.\n`)
  }
  return 1
}

/** Returns the flags of the mock in this container. Its variables are those of this command too. */
const readServerFlags = async ({ readServerArgs }: CommandConsole): Promise<Args['flags']> => {
  const argv = await readServerArgs?.()
  return argv === undefined ? {} : readArgs(argv, {}).flags
}
