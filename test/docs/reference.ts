import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { userOperations } from '../../src/http/users.ts'
import { createPaymentLinkOperations } from '../../src/http/payment-links.ts'
import { commandSummaries as cliCommands, type Flag, flags } from '../../src/node/flags.ts'
import { createCore } from '../../src/mock/mock.ts'
import { behaviorKeys, behaviorRegistry, profiles } from '../../src/schema/behavior.ts'
import type { Command } from '../../src/schema/command-definition.ts'
import { commands } from '../../src/schema/commands.ts'
import { controlStatuses, errorCodes } from '../../src/schema/error.ts'
import { root } from '../support/installed.ts'

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const code = (text: string | number | boolean) => `\`${text}\``

interface Schema {
  readonly type: string | readonly string[]
  readonly const?: string
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** A row for each field of a body, also for those of objects in it. */
const fieldRows = ({ properties = {}, required = [] }: Schema, path = ''): string[][] =>
  Object.entries(properties).flatMap(([name, field]) => {
    const type = field.const === undefined ? [field.type].flat().join(' or ') : JSON.stringify(field.const)
    const { format, description = '' } = field
    const cells = [code(path + name), format === undefined ? type : `${type} (${format})`]
    return [[...cells, required.includes(name) ? 'yes' : 'no', description], ...fieldRows(field, `${path}${name}.`)]
  })

const bodyRows = async (): Promise<string[][]> => {
  const { components } = (await createCore({}).openApi()) as { components: { schemas: Record<string, Schema> } }
  return [...userOperations, ...createPaymentLinkOperations('partner')].flatMap(({ id }) => {
    const body = components.schemas[`${id[0]!.toUpperCase()}${id.slice(1)}Body`]
    return body === undefined ? [] : fieldRows(body).map((cells, index) => [index === 0 ? code(id) : '', ...cells])
  })
}

/** The tables of the reference, by their names in the page. */
const tables: Readonly<Record<string, () => string | Promise<string>>> = {
  bodies: async () => table(['Operation', 'Field', 'Type', 'Required', 'Meaning'], await bodyRows()),
  operations: () =>
    table(
      ['Operation', 'Id', 'Method and path', 'Section'],
      [...userOperations, ...createPaymentLinkOperations('partner')].map(({ id, summary, method, path, spec }) => [
        summary,
        code(id),
        code(`${method} ${path}`),
        spec,
      ]),
    ),
  errors: () =>
    table(
      ['Status', 'Type', 'Code', 'When'],
      Object.entries(errorCodes).map(([name, [status, type, summary]]) => [
        [status, ...(name in controlStatuses ? [controlStatuses[name as keyof typeof controlStatuses]] : [])].join(
          ', ',
        ),
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
  strict: () =>
    Object.entries(profiles.strict)
      .map(([key, value]) => code(`${key}=${value}`))
      .join(', '),
  endpoints: () =>
    table(
      ['Endpoint', 'For', 'What it does'],
      Object.values<Command>(commands).map(({ scope, method, path, summary }) => [
        code(`${method} ${scope === 'project' ? '/projects/{project}' : ''}${path}`),
        { mock: 'all', project: 'one', both: 'all, one' }[scope],
        summary,
      ]),
    ),
  options: () => table(['Option', 'Of', 'Meaning', 'Default'], optionRows()),
  commands: () =>
    table(
      ['Command', 'What it does'],
      Object.entries(cliCommands).map(([name, help]) => [code(name), help]),
    ),
  flags: () =>
    table(
      ['Flag', 'Variable', 'Commands', 'Meaning [default]'],
      Object.entries<Flag>(flags).map(([name, { short, value, env, repeatable, for: owners = ['all'], help }]) => [
        `${code(`--${name}${value ? ` ${value}` : ''}`)}${short ? `, ${code(`-${short}`)}` : ''}${repeatable ? ' (repeatable)' : ''}`,
        env ? code(env) : '',
        owners.join(', '),
        help,
      ]),
    ),
}

const owners = { MockOptions: 'createMock', ListenOptions: 'listen', ConnectOptions: 'connect' }

/** The options with the comments of their interfaces. */
const optionRows = (): string[][] => {
  const source = readFileSync(join(root, 'src/schema/options.ts'), 'utf8')
  return Object.entries(owners).flatMap(([name, owner]) => {
    const [, members = ''] = new RegExp(`export interface ${name} {\\n([^]*?)\\n}`).exec(source) ?? []
    return [...members.matchAll(/\/\*\* ([^]*?)(?: @default (.*?))? \*\/\s*readonly (\w+)\?:/g)].map(
      ([, meaning, otherwise = '', option]) => [code(option!), code(owner), meaning!, otherwise],
    )
  })
}

/** The page with its tables as the code has them now. */
export const withTables = async (page: string): Promise<string> => {
  let text = page
  for (const [name, make] of Object.entries(tables)) {
    const made = `<!-- ${name} -->\n\n${await make()}\n\n<!-- /${name} -->`
    text = text.replace(new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`), () => made)
  }
  return text
}
