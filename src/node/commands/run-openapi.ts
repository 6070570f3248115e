import { createCore } from '../../mock/mock.ts'
import type { Args } from '../args.ts'
import { readSettings } from '../settings.ts'
import { type CommandConsole, formatJson } from '../terminal.ts'

/** `openapi`: prints the document of the mocked API, adapted to the flags. Returns the exit code. */
export const runOpenApi = async (args: Args, console: CommandConsole): Promise<number> => {
  const { mock } = readSettings(args, false)
  console.out(formatJson(await createCore(mock).openApi()))
  return 0
}
