import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { expect, it } from 'vitest'
import type { Command } from '../../../src/schema/command-definition.ts'
import { commands } from '../../../src/schema/commands.ts'
import { root } from '../../support/installed.ts'

/** The routes of the commands, as the client needs them. */
const listRoutes = (): string => {
  const routes = Object.entries<Command>(commands).map(([id, { scope, method, path, text }]) => [
    id,
    { scope, method, path, ...(text && { text }) },
  ])
  return `import type { CommandRoute } from './command-definition.ts'

// \`npm test -- -u\` writes this file from the commands. The client loads it instead of their schemas, which take longer
// to load than the client itself.
export const commandRoutes = ${JSON.stringify(Object.fromEntries(routes))} satisfies Record<string, CommandRoute>

export type CommandId = keyof typeof commandRoutes
`
}

it('the client has the routes of all commands: `npm test -- -u` writes them', async () => {
  const { prettier } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const formatted = await format(listRoutes(), { parser: 'typescript', ...prettier, quoteProps: 'as-needed' })
  await expect(formatted).toMatchFileSnapshot(join(root, 'src/schema/command-routes.ts'))
})
