import { commands, type Flag, flags } from '../../src/node/flags.ts'
import { behaviorKeys, behaviorRegistry } from '../../src/schema/behavior.ts'
import { errorCodes } from '../../src/schema/error.ts'
import type { Verb } from '../../src/schema/verb.ts'
import { verbs } from '../../src/schema/verbs.ts'

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
      Object.values<Verb>(verbs).map(({ scope, method, path, summary }) => [
        code(`${method} ${scope === 'project' ? '/projects/{project}' : ''}${path}`),
        { mock: 'all', project: 'one', both: 'all, one' }[scope],
        summary,
      ]),
    ),
  commands: () =>
    table(
      ['Command', 'What it does'],
      Object.entries(commands).map(([name, help]) => [code(name), help]),
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
