import { type CommandId, commands } from './command.ts'
import type { CommandRoute } from './command-definition.ts'

/** How a client calls each command. The build writes out the value: the client must not load the schemas of the commands. */
export const commandRoutes = Object.fromEntries(
  Object.entries<CommandRoute>(commands).map(([id, { scope, method, path, text }]) => [
    id,
    { scope, method, path, ...(text && { text }) },
  ]),
) as Record<CommandId, CommandRoute>
