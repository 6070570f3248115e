import { recordCommands } from './commands/records.ts'
import { stateCommands } from './commands/state.ts'
import { trafficCommands } from './commands/traffic.ts'

/** All commands of the control API. */
export const commands = { ...stateCommands, ...recordCommands, ...trafficCommands }
export type Commands = typeof commands
