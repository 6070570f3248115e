import * as z from 'zod/mini'
import { Locale } from '../schema/field.ts'
import { errors } from '../schema/error.ts'
import { buildUnpagedListSchema, createUnpagedList } from '../schema/list.ts'
import { ProjectList, ProjectSummary, SandboxSummary } from '../schema/summaries.ts'
import { version } from '../schema/version.ts'
import { described } from '../schema/zod-helpers.ts'
import { type CommandContext, defineCommand } from './command.ts'

const Health = z.object({
  status: z.literal('ok'),
  version: z.string(),
  uptimeSeconds: z.number(),
  seed: described(z.nullable(z.string()), 'The name of the seed file, without its folder. Null without a file.'),
})

export const projectCommands = {
  health: defineCommand('mock', 'GET', '/health', 'Health check', {
    description: 'Needs no token.',
    isPublic: true,
    response: Health,
    errors: ['shuttingDown'],
  }).handle(({ getUptime, seedName }) => ({
    status: 'ok',
    version,
    uptimeSeconds: Math.floor(getUptime() / 1000),
    seed: seedName ?? null,
  })),

  listProjects: defineCommand('mock', 'GET', '/projects', 'List projects', { response: ProjectList }).handle(
    ({ store }) => createUnpagedList(store.projects.summarizeAll()),
  ),

  retrieveProject: defineCommand('project', 'GET', '', 'Retrieve a project', { response: ProjectSummary }).handle(
    ({ store }, { project }) => store.projects.summarize(project),
  ),

  changeProject: defineCommand('project', 'PATCH', '', 'Update a project', {
    description: 'Sets the preferred locale.',
    body: z.object({ preferredLocale: z.optional(Locale) }),
    response: ProjectSummary,
    examples: { locale: { summary: 'Another preferred locale', value: { preferredLocale: 'pt-BR' } } },
  }).handle(({ store }, { project, body: { preferredLocale } }) => {
    store.update(project, (tx) => preferredLocale !== undefined && tx.set('preferredLocale', preferredLocale))
    return store.projects.summarize(project)
  }),

  deleteProject: defineCommand('project', 'DELETE', '', 'Delete a project', {
    description: 'The next use of the project creates it again from the template.',
    errors: ['projectNotFound'],
  }).handle(({ store, tokens, snapshots }, { project }) => {
    store.states.delete(project)
    tokens.delete(project)
    snapshots.removeAll(project)
  }),

  listSandboxes: defineCommand('mock', 'GET', '/sandboxes', 'List sandboxes', {
    response: buildUnpagedListSchema(SandboxSummary),
    errors: ['sandboxNotFound'],
  }).handle((mock) => createUnpagedList(requireSandboxes(mock).list())),

  deleteSandboxes: defineCommand('mock', 'DELETE', '/sandboxes', 'Delete all sandboxes', {
    errors: ['sandboxNotFound'],
  }).handle((mock) => requireSandboxes(mock).delete()),

  deleteSandbox: defineCommand('mock', 'DELETE', '/sandboxes/{sandbox}', 'Delete a sandbox').handle(
    (mock, { params }) => requireSandboxes(mock).delete(params.sandbox),
  ),
}

const requireSandboxes = ({ sandboxes }: CommandContext) => {
  if (sandboxes === undefined) throw errors.sandboxNotFound('inSandbox')
  return sandboxes
}
