import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createOperations } from '../../src/core/api/operations.ts'
import { cliCommands, type Flag, flags } from '../../src/command-line/flags.ts'
import { OrderReport, ProgramReport } from '../../src/explore/programs/program-report.ts'
import { createCore } from '../../src/core/mock/core.ts'
import { createMock } from '../../src/index.ts'
import { behaviorKeys, behaviorRegistry, profiles } from '../../src/core/schema/behavior.ts'
import type { Command } from '../../src/core/control/command.ts'
import { commands } from '../../src/core/control/commands.ts'
import { anyOperation } from '../../src/core/schema/coverage-text.ts'
import { Effect } from '../../src/core/schema/fault.ts'
import { controlStatuses, errorDefinitions } from '../../src/core/schema/error.ts'
import { toJsonSchema } from '../../src/core/openapi/json-schema.ts'
import { root } from '../support/installed.ts'
import { connectChecks } from '../../src/core/client/connect.ts'
import { ListenOptions, MockOptions } from '../../src/core/schema/mock-options.ts'
import type { NamedEffect } from '../../src/explore/effects/effect.ts'
import { namedEffects } from '../../src/explore/effects/named-effects.ts'
import { expectText, textOf } from './pages.ts'

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const code = (text: string | number | boolean) => `\`${text}\``

interface Schema {
  readonly type: string | readonly string[]
  readonly const?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly items?: Partial<Schema>
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

/** A row for each field of a result, also for those of the objects in its lists. */
const reportRows = ({ properties = {} }: Partial<Schema>, path = ''): string[][] =>
  Object.entries(properties).flatMap(([name, { type, items, enum: values, description = '' }]) => {
    const shown = values?.map((value) => `\`${value}\``).join(', ') ?? [type].flat().join(' or ')
    const of = items?.type === 'object' ? ' of objects' : items === undefined ? '' : ` of ${String(items.type)}s`
    return [[code(path + name), shown + of, description], ...reportRows(items ?? {}, `${path}${name}[].`)]
  })

const bodyRows = async (): Promise<string[][]> => {
  const { components } = (await createCore({}).openApi()) as { components: { schemas: Record<string, Schema> } }
  return createOperations('partner').flatMap(({ id }) => {
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
      createOperations('partner').map(({ id, summary, method, path, spec }) => [
        summary,
        code(id),
        code(`${method} ${path}`),
        spec,
      ]),
    ),
  errors: () =>
    table(
      ['Status', 'Type', 'Code', 'When'],
      Object.entries(errorDefinitions).map(([name, { status, type, summary }]) => [
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
  effects: () =>
    table(
      ['Effect', 'Meaning'],
      Object.entries((toJsonSchema(Effect, 'input') as unknown as Schema).properties ?? {}).map(([name, field]) => [
        code(name),
        field.description ?? '',
      ]),
    ),
  searchEffects: () =>
    table(
      ['Name', 'What happens', 'Phases', 'Default', 'A client survives it that'],
      Object.entries<NamedEffect>(namedEffects).map(([name, { summary, phases, isDefault, remedy }]) => [
        code(name),
        summary,
        phases.join(', '),
        isDefault ? 'yes' : 'no',
        remedy,
      ]),
    ),
  situations: async () => {
    const { items } = await createMock().coverage()
    const operations = [...new Set(items.map(({ operation }) => operation))]
    return table(
      ['Operation', 'Situations'],
      operations.map((id) => [
        id === null ? anyOperation : code(id),
        items.flatMap(({ operation, situation }) => (operation === id ? code(situation) : [])).join(', '),
      ]),
    )
  },
  options: () => table(['Option', 'Of', 'Meaning', 'Default'], optionRows()),
  report: () => table(['Field', 'Type', 'Meaning'], reportRows(toJsonSchema(ProgramReport, 'output'))),
  orderReport: () => table(['Field', 'Type', 'Meaning'], reportRows(toJsonSchema(OrderReport, 'output'))),
  commands: () =>
    table(
      ['Command', 'What it does'],
      Object.entries(cliCommands).map(([name, { help }]) => [code(name), help]),
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
  const source = readFileSync(join(root, 'src/core/schema/mock-options.ts'), 'utf8')
  return Object.entries(owners).flatMap(([name, owner]) => {
    const [, members = ''] = new RegExp(`export interface ${name} {\\n([^]*?)\\n}`).exec(source) ?? []
    return [...members.matchAll(/\/\*\* ([^]*?)(?: @default (.*?))? \*\/\s*readonly (\w+)\?:/g)].map(
      ([, meaning, otherwise = '', option]) => [code(option!), code(owner), meaning!, otherwise],
    )
  })
}

/** The text of a table, without what makes its columns equally wide. */
const withoutPadding = (text: string) => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---')

/** The page with its tables as the code has them now. */
const withTables = async (page: string): Promise<string> => {
  let text = page
  for (const [name, make] of Object.entries(tables)) {
    const made = `<!-- ${name} -->\n\n${await make()}\n\n<!-- /${name} -->`
    text = text.replace(new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`), (shown) =>
      withoutPadding(shown) === withoutPadding(made) ? shown : made,
    )
  }
  return text
}

const page = 'docs/reference.md'

const nameList = [page, 'docs/explore-in-process.md']
it.each(nameList)('%s has the tables that the code generates: `npm test -- -u` writes them', async (name) => {
  await expectText(name, await withTables(textOf(name)))
})

it('the reference has every option', () => {
  const rows = [...textOf(page).matchAll(/^\| `(\w+)` +\| `(createMock|listen|connect)` /gm)].map(
    ([, option, owner]) => `${owner} ${option}`,
  )
  const names = (owner: string, options: object) => Object.keys(options).map((option) => `${owner} ${option}`)
  expect(rows).toEqual([
    ...names('createMock', MockOptions.shape),
    ...names('listen', ListenOptions.shape),
    ...names('connect', connectChecks),
  ])
})

it('the guide to the control API names endpoints that exist', () => {
  const endpoints = Object.values<Command>(commands).map(
    ({ method, path, scope }) => `${method} ${scope === 'mock' ? '' : '/projects/acme'}${path}`,
  )
  const named = [...textOf('docs/control-api.md').matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`?]*)/g)].map(
    ([, endpoint]) => endpoint,
  )
  expect(named.length).toBeGreaterThan(20)
  expect(endpoints).toEqual(expect.arrayContaining(named))
})
