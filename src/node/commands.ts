import { createCore } from '../mock.ts'
import { type Args, UsageError } from './args.ts'
import { connectableHost } from './server.ts'
import { readSeed, SeedError } from './seed-file.ts'
import { settingsOf } from './settings.ts'
import type { Console } from './start.ts'

/** `validate <seed>`: says what is in it, or every problem by itself. Answers the exit code. */
export const validate = async ({ operand = '' }: Args, console: Console): Promise<number> => {
  try {
    const core = createCore({ seed: await readSeed(operand) })
    const projects = await core.control.projects()
    const users = projects.reduce((sum, project) => sum + project.users, 0)
    const links = projects.reduce((sum, project) => sum + project.paymentLinks, 0)
    console.out(`${operand} is a valid seed: ${projects.length} projects, ${users} users, ${links} payment links.\n`)
    return 0
  } catch (error) {
    if (!(error instanceof SeedError) || error.problems.length === 0) throw error
    console.err(`${operand} is no valid seed:\n${error.problems.map(({ message }) => `  ${message}\n`).join('')}`)
    return 1
  }
}

/** `health [url]`: asks a running mock. The port comes from the variable, so that an image is moved by variable alone. */
export const health = async (args: Args, console: Console): Promise<number> => {
  const { host = '127.0.0.1', port } = settingsOf(args, false).listen
  if (args.operand !== undefined && !/^https?:\/\//.test(args.operand))
    throw new UsageError(`health needs an address such as http://127.0.0.1:4600 (got '${args.operand}').`)
  const url = args.operand ?? `http://${connectableHost(host)}:${port}`
  try {
    const response = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(2000) })
    if (response.ok) {
      console.out(`${url} is up\n`)
      return 0
    }
    console.err(`${url} answers ${response.status}, so it is not up.\n`)
  } catch {
    console.err(`${url} does not answer.\n`)
  }
  return 1
}

/** `openapi`: the document of the mocked API, with the base path and the provider's word of the flags. */
export const openapi = async (args: Args, console: Console): Promise<number> => {
  const { mock } = settingsOf(args, false)
  console.out(`${JSON.stringify(createCore(mock).openApi(), null, 2)}\n`)
  return 0
}
