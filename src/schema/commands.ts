import { recordCommands } from './commands/record-definitions.ts'
import { stateCommands } from './commands/state-definitions.ts'
import { trafficCommands } from './commands/traffic-definitions.ts'

/** All commands of the control API. */
export const commands = { ...stateCommands, ...recordCommands, ...trafficCommands }
export type Commands = typeof commands
