import { createCore } from '../../mock/mock.ts'
import { pluralize } from '../../schema/problem.ts'
import type { Args } from '../args.ts'
import { getSeedPath, readSeed } from '../seed-file.ts'
import type { CommandConsole } from '../terminal.ts'

/** `validate <seed>`: prints a summary of the seed. Throws a `SeedError` if it is invalid. */
export const runValidate = async ({ operands: [operand = ''] }: Args, console: CommandConsole): Promise<number> => {
  const core = createCore({}, { seed: await readSeed(getSeedPath(operand)) })
  const projects = await core.control.projects()
  const users = projects.reduce((sum, project) => sum + project.users, 0)
  const links = projects.reduce((sum, project) => sum + project.paymentLinks, 0)
  const amounts = [pluralize(projects.length, 'project'), pluralize(users, 'user'), pluralize(links, 'payment link')]
  console.out(`${operand} is a valid seed: ${amounts.join(', ')}.\n`)
  return 0
}
