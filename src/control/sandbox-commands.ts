import { errors } from '../schema/error.ts'
import { buildUnpagedListSchema, createUnpagedList } from '../schema/list.ts'
import { SandboxSummary } from '../schema/summaries.ts'
import { type CommandContext, defineCommand } from './command.ts'

const SandboxList = buildUnpagedListSchema(SandboxSummary)

/** The sandboxes of a mock. Commands of a sandbox cannot reach the others. */
export const sandboxCommands = {
  listSandboxes: defineCommand('mock', 'GET', '/sandboxes', 'List sandboxes', {
    response: SandboxList,
    errors: ['sandboxNotFound'],
  }).handle((mock) => createUnpagedList(requireSandboxes(mock).list())),

  deleteSandboxes: defineCommand('mock', 'DELETE', '/sandboxes', 'Delete all sandboxes', {
    errors: ['sandboxNotFound'],
  }).handle((mock) => requireSandboxes(mock).delete()),

  deleteSandbox: defineCommand('mock', 'DELETE', '/sandboxes/{sandbox}', 'Delete a sandbox').handle(
    (mock, { params }) => requireSandboxes(mock).delete(params.sandbox),
  ),
}

export const sandboxSchemas = { Sandbox: SandboxSummary, SandboxList }

const requireSandboxes = ({ sandboxes }: CommandContext) => {
  if (sandboxes === undefined) throw errors.sandboxNotFound('inSandbox')
  return sandboxes
}
