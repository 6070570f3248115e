import { createCore } from '../mock.ts'
import { mostProblems } from '../schema/error.ts'
import { amountText } from '../schema/problem.ts'
import type { Args } from './args.ts'
import type { Console } from './console.ts'
import { readSeed, SeedError } from './seed-file.ts'
import { settingsOf } from './settings.ts'

/** `validate <seed>`: says what is in it, or every problem by itself. Answers the exit code. */
export const validate = async ({ operand = '' }: Args, console: Console): Promise<number> => {
  try {
    const core = createCore({}, await readSeed(operand))
    const projects = await core.control.projects()
    const users = projects.reduce((sum, project) => sum + project.users, 0)
    const links = projects.reduce((sum, project) => sum + project.paymentLinks, 0)
    const amounts = [
      amountText(projects.length, 'project'),
      amountText(users, 'user'),
      amountText(links, 'payment link'),
    ]
    console.out(`${operand} is a valid seed: ${amounts.join(', ')}.\n`)
    return 0
  } catch (error) {
    if (!(error instanceof SeedError) || error.problems.length === 0) throw error
    const lines = error.problems.slice(0, mostProblems).map(({ message }) => `  ${message}\n`)
    const more = error.problems.length > mostProblems ? '  ... and many more.\n' : ''
    console.err(`${operand} is no valid seed:\n${lines.join('')}${more}`)
    return 1
  }
}

/** `openapi`: the document of the mocked API, with the base path, the provider's word and the behaviors of the flags. */
export const openapi = async (args: Args, console: Console): Promise<number> => {
  const { mock } = settingsOf(args, false)
  console.out(`${JSON.stringify(createCore(mock).openApi(), null, 2)}\n`)
  return 0
}
