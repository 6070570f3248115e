// The commands that print something and end. The mock is loaded on demand: `init` and `health` do not need it.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type Fields, parseJsonIfValid } from '../core/schema/json-value.ts'
import { formatCounts, pluralize } from '../core/schema/problem.ts'
import type { Seed } from '../core/schema/seed.ts'
import { formatSeconds, toPrintable } from '../core/schema/text.ts'
import { trimSlashes } from '../core/schema/url.ts'
import { createStory, quoteForShell } from '../core/openapi/curl.ts'
import { type Args, CommandError, readArgs, UsageError } from '../command-line/args.ts'
import { loopback, toConnectableHost } from '../node/listen-address.ts'
import { getFixturePath, getSeedPath, readSeed, rejectSeed } from '../command-line/files.ts'
import { readSettings, requireAddress } from '../command-line/flag-values.ts'
import { type CommandConsole, formatJson } from '../command-line/terminal.ts'

/** `init [file]`: writes an example seed, and prints the next steps. Never overwrites a file. */
export const runInit = async ({ operands: [file = 'seed.json'] }: Args, console: CommandConsole): Promise<number> => {
  const seed = { $schema: findSchema(file), ...exampleSeed }
  await writeFile(file, formatJson(seed), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') return rejectSeed(file, 'written')(error)
    throw new CommandError(`${file} already exists and was not changed. Choose another file.`)
  })
  console.out(formatNextSteps(file))
  return 0
}

/** `validate <seed>`: prints a summary of the seed. Throws a `CommandError` if it is invalid. */
export const runValidate = async ({ operands: [operand = ''] }: Args, console: CommandConsole): Promise<number> => {
  const { createCore } = await import('../core/mock/core.ts')
  const core = createCore({}, { seed: await readSeed(getSeedPath(operand)) })
  const projects = await core.control.projects()
  const users = projects.reduce((sum, project) => sum + project.users, 0)
  const paymentLinks = projects.reduce((sum, project) => sum + project.paymentLinks, 0)
  const counts = `${pluralize(projects.length, 'project')}, ${formatCounts({ users, paymentLinks })}`
  console.out(`${operand} is a valid seed: ${counts}.\n`)
  return 0
}

export const runOpenApi = async (args: Args, console: CommandConsole): Promise<number> => {
  const { createCore } = await import('../core/mock/core.ts')
  console.out(formatJson(await createCore(readSettings(args, false).mock).openApi()))
  return 0
}

/** `health [url]`: checks a running mock. By default, in a container, the mock that runs there. */
export const runHealth = async (args: Args, console: CommandConsole): Promise<number> => {
  const serverArgs = await console.readServerArgs?.()
  // The variables of that mock are those of this command too.
  const serverFlags = serverArgs && readArgs(serverArgs, {}).flags
  const values = { ...args.variables, ...serverFlags, ...args.flags }
  const { host = loopback, port } = readSettings({ ...args, values }, false).listen
  const [operand] = args.operands
  if (operand !== undefined) {
    requireAddress(args, operand)
    if (args.flags.host !== undefined || args.flags.port !== undefined)
      throw new UsageError('health takes an address, or --host and --port, not both.')
  } else if (port === 0) throw new UsageError('health needs the port of a mock: health --port PORT.')
  const url = operand ?? `http://${toConnectableHost(host)}:${port}`
  try {
    const healthUrl = `${trimSlashes(url)}/healthz`
    const response = await fetch(healthUrl, { signal: AbortSignal.timeout(2000) })
    const { status, version, uptimeSeconds, seed } = (parseJsonIfValid(await response.text()) ?? {}) as Fields
    if (response.ok && status === 'ok' && typeof version === 'string' && typeof uptimeSeconds === 'number') {
      const startTime = new Date(Date.now() - uptimeSeconds * 1000).toISOString()
      const seedText = typeof seed === 'string' ? `with the seed ${toPrintable(seed)}` : 'without a seed file'
      console.out(`${url} is up since ${formatSeconds(startTime)} UTC, ${seedText}\n`)
      return 0
    }
    const found = `${response.status}${response.ok ? ' with a response that is not from a mock' : ''}`
    console.err(`${url} is not the address of a running mock: ${healthUrl} returned ${found}.\n`)
  } catch {
    console.err(`${url} does not respond.\n`)
  }
  return 1
}

const exampleSeed: Seed = {
  projects: {
    acme: {
      preferredLocale: 'en-US',
      users: [{ id: 'usr_ada', email: 'ada@example.com', fullName: 'Ada Lovelace' }],
      paymentLinks: [
        { id: 'pml_open', invoice: 'inv_1', payer: { fullName: 'Ada Lovelace', email: 'ada@example.com' } },
        { id: 'pml_paid', invoice: 'inv_2', status: 'completed' },
      ],
    },
  },
}

/** Returns the relative path of the schema for editors: in the nearest `node_modules`, else in this package. */
const findSchema = (file: string): string => {
  const folder = dirname(resolve(file))
  const installed = listParents(folder).map((one) => join(one, 'node_modules/paylink-mock/fixtures/seed.schema.json'))
  const path = relative(folder, installed.find((one) => existsSync(one)) ?? getFixturePath('seed.schema.json'))
  return `${path.startsWith('.') ? '' : './'}${path.split(sep).join('/')}`
}

const listParents = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...listParents(dirname(folder))]

const defaultUrl = 'http://127.0.0.1:4600'

const story = createStory({
  clientUrl: defaultUrl,
  mockUrl: defaultUrl,
  project: 'acme',
  paymentLink: 'pml_open',
  anyToken: true,
  needsAdminToken: false,
})

const formatNextSteps = (file: string): string => {
  const word = quoteForShell(file)
  return [
    `${toPrintable(file)} is a seed with one project, one user and two payment links. Editors complete and check it by its schema.`,
    'Next:',
    `  npx paylink-mock --seed ${toPrintable(word)} --watch`,
    `  npx paylink-mock validate ${toPrintable(word)}`,
    ...story.map(({ curl }) => `  ${curl.join(' ')}`),
    '',
  ].join('\n')
}
