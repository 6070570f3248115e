import type { z } from 'zod'
import { commands as cliCommands, type Flag, flags } from '../../src/node/flags.ts'
import { behaviorKeys, behaviorRegistry } from '../../src/schema/behavior.ts'
import { errorCodes } from '../../src/schema/error.ts'
import { ConnectOptions, ListenOptions, MockOptions } from '../../src/schema/options.ts'
import { type Command, commands } from '../../src/schema/commands.ts'

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const code = (text: string | number | boolean) => `\`${text}\``

/** The tables of the README that are made from the code. */
const tables: Readonly<Record<string, () => string>> = {
  errors: () =>
    table(
      ['Status', 'Type', 'Code', 'When'],
      Object.entries(errorCodes).map(([name, [status, type, summary]]) => [
        `${status}`,
        code(type),
        code(name),
        summary,
      ]),
    ),
  behaviors: () =>
    table(
      ['Key', 'Values', 'Spec', 'What it decides'],
      behaviorKeys.map((key) => {
        const { values, spec, summary } = behaviorRegistry[key]
        return [code(key), values.map(code).join(', '), spec, summary]
      }),
    ),
  verbs: () =>
    table(
      ['Verb and path', 'For', 'What it does'],
      Object.values<Command>(commands).map(({ scope, method, path, summary }) => [
        code(`${method} ${scope === 'project' ? '/projects/{project}' : ''}${path}`),
        { mock: 'all', project: 'one', both: 'all, one' }[scope],
        summary,
      ]),
    ),
  options: () =>
    table(
      ['Option', 'Of', 'What it sets [default]'],
      [
        ...rowsOf('createMock', MockOptions, mockOptions),
        ...rowsOf('listen', ListenOptions, listenOptions),
        ...rowsOf('connect', ConnectOptions, connectOptions),
      ],
    ),
  commands: () =>
    table(
      ['Command', 'What it does'],
      Object.entries(cliCommands).map(([name, help]) => [code(name), help]),
    ),
  flags: () =>
    table(
      ['Flag', 'Variable', 'Commands', 'What it sets [default]'],
      Object.entries<Flag>(flags).map(([name, { short, value, env, repeatable, for: owners = ['all'], help }]) => [
        `${code(`--${name}${value ? ` ${value}` : ''}`)}${short ? `, ${code(`-${short}`)}` : ''}${repeatable ? ' (repeatable)' : ''}`,
        env ? code(env) : '',
        owners.join(', '),
        help,
      ]),
    ),
}

const mockOptions: Readonly<Record<keyof z.infer<typeof MockOptions>, string>> = {
  seed: 'what is there at the start and after a reset: what a seed file says [nothing]',
  clock: "'real', 'frozen', 'stepping', a time to freeze at, or `{ mode, now, step }` ['real']",
  idSeed: "what ids are derived from ['paylink-mock']",
  profile: "named set of readings, 'default' or 'strict' ['default']",
  behaviors: 'readings of open points of the specification, by key [those of the profile]',
  tokens: 'bearer tokens that clients must send: texts, or `{ token, projects, expiresAt }` [any]',
  basePath: "path before /projects, such as '/v1' [none]",
  provider: "wire word for the one provider ['partner']",
  publicUrl: 'address that payment pages are shown under [that of the request]',
  bodyLimit: 'bytes of the largest request body [1048576]',
  journalSize: 'requests that are kept of each project [1000]',
  now: 'a function that says the time of a real clock, in epoch milliseconds [Date.now]',
  log: 'a function that is told of each request, new project, reloaded seed and failure [none]',
}

const listenOptions: Readonly<Record<keyof z.infer<typeof ListenOptions>, string>> = {
  port: 'port to listen on, 0 for any free one [0]',
  host: "address to bind ['127.0.0.1']",
  adminToken: "bearer token of /__admin, 'none' leaves it open [open on loopback, else random]",
  allowedHosts: 'further Host names that /__admin answers to [none]',
}

const connectOptions: Readonly<Record<keyof z.infer<typeof ConnectOptions>, string>> = {
  adminToken: 'the bearer token that the mock asks for [none]',
  fetch: 'what carries the calls [the global fetch]',
}

const rowsOf = (call: string, schema: z.ZodObject, texts: Readonly<Record<string, string>>): readonly string[][] =>
  Object.keys(schema.shape).map((name) => [code(name), code(call), texts[name]!])

/** The README with its tables as the code has them now. */
export const withTables = (readme: string): string =>
  Object.entries(tables).reduce(
    (text, [name, make]) =>
      text.replace(
        new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`),
        () => `<!-- ${name} -->\n\n${make()}\n\n<!-- /${name} -->`,
      ),
    readme,
  )
