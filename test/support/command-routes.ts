import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import type { Command } from '../../src/schema/command-definition.ts'
import { commands } from '../../src/schema/command.ts'
import { root } from './installed.ts'

export const commandRoutesFile = join(root, 'src/schema/command-routes.ts')

/** Returns the source of the routes of all commands, as the client needs them. */
export const formatCommandRoutes = async (): Promise<string> => {
  const routes = Object.entries<Command>(commands).map(([id, { scope, method, path, text }]) => [
    id,
    { scope, method, path, ...(text && { text }) },
  ])
  const source = `import type { CommandRoute } from './command-definition.ts'

// \`npm test -- -u\` writes this file from the commands. The client loads it instead of their schemas, which take longer
// to load than the client itself.
export const commandRoutes = ${JSON.stringify(Object.fromEntries(routes))} satisfies Record<string, CommandRoute>

export type CommandId = keyof typeof commandRoutes
`
  const { prettier } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return format(source, { parser: 'typescript', ...prettier, quoteProps: 'as-needed' })
}
