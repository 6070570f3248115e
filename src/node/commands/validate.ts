import { createCore } from '../../mock/mock.ts'
import { maxProblems } from '../../schema/error.ts'
import { pluralize } from '../../schema/problem.ts'
import type { Args } from '../args.ts'
import { readSeed, SeedError } from '../seed-file.ts'
import type { CommandConsole } from '../terminal.ts'

/** `validate <seed>`: prints a summary of the seed, or its problems. Returns the exit code. */
export const validate = async ({ operand = '' }: Args, console: CommandConsole): Promise<number> => {
  try {
    const core = createCore({}, { seed: await readSeed(operand) })
    const projects = await core.control.projects()
    const users = projects.reduce((sum, project) => sum + project.users, 0)
    const links = projects.reduce((sum, project) => sum + project.paymentLinks, 0)
    const amounts = [pluralize(projects.length, 'project'), pluralize(users, 'user'), pluralize(links, 'payment link')]
    console.out(`${operand} is a valid seed: ${amounts.join(', ')}.\n`)
    return 0
  } catch (error) {
    if (!(error instanceof SeedError) || error.problems.length === 0) throw error
    const lines = error.problems.slice(0, maxProblems).map(({ message }) => `  ${message}\n`)
    const more = error.problems.length > maxProblems ? '  ... and more.\n' : ''
    console.err(`${operand} is not a valid seed:\n${lines.join('')}${more}`)
    return 1
  }
}
