import type { Command } from '../control/command.ts'
import { type CommandId, commands } from '../control/commands.ts'

export interface CommandRoute extends Pick<Command, 'scope' | 'method' | 'path'> {
  /** Whether the response can be text. */
  readonly hasText?: true
}

/** How a client calls each command. The build writes out the value: the client must not load the commands themselves. */
export const commandRoutes = Object.fromEntries(
  Object.entries<Command>(commands).map(([id, { scope, method, path, text }]) => [
    id,
    { scope, method, path, ...(text !== undefined && { hasText: true }) },
  ]),
) as Record<CommandId, CommandRoute>
