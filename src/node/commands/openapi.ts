import { createCore } from '../../mock.ts'
import type { Args } from '../args.ts'
import { settingsOf } from '../settings.ts'
import type { Console } from '../terminal.ts'

/** `openapi`: prints the document of the mocked API, adapted to the flags. Returns the exit code. */
export const openapi = (args: Args, console: Console): number => {
  const { mock } = settingsOf(args, false)
  console.out(`${JSON.stringify(createCore(mock).openApi(), null, 2)}\n`)
  return 0
}
