import * as z from 'zod/mini'
import { Locale } from '../schema/field.ts'
import { createUnpagedList } from '../schema/list.ts'
import { ProjectList, ProjectSummary } from '../schema/summaries.ts'
import { defineCommand } from './command.ts'

const Health = z.object({ status: z.literal('ok'), version: z.string(), uptimeSeconds: z.number() })

/** The mock and its projects. */
export const projectCommands = {
  health: defineCommand('mock', 'GET', '/health', 'Health check', {
    description: 'Needs no token.',
    isPublic: true,
    response: Health,
    errors: ['shuttingDown'],
  }).handle(({ version, systemNow, startedAt }) => ({
    status: 'ok',
    version,
    uptimeSeconds: Math.floor((systemNow() - startedAt) / 1000),
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
}

export const projectSchemas = { Health, Project: ProjectSummary, ProjectList }
