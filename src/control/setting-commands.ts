import * as z from 'zod/mini'
import { BehaviorChoices, behaviorKeys, behaviorRegistry, BehaviorSettings } from '../schema/behavior.ts'
import { Token, TokenList } from '../schema/seed.ts'
import { unique } from '../schema/zod-helpers.ts'
import { type CommandContext, defineCommand } from './command.ts'

/** The behaviors and the tokens of a project, or of all. */
export const settingCommands = {
  readBehaviors: defineCommand('both', 'GET', '/behaviors', 'List behaviors', { response: BehaviorSettings }).handle(
    (mock, { project }) => getBehaviors(mock, project),
  ),

  changeBehaviors: defineCommand('both', 'PATCH', '/behaviors', 'Change behaviors', {
    body: BehaviorChoices,
    response: BehaviorSettings,
    examples: {
      values: { summary: 'Two behaviors', value: { cancelInactive: 'idempotent', createStatus: 200 } },
    },
  }).handle((mock, { project, body }) => {
    mock.store.behaviors.set(body, project)
    return getBehaviors(mock, project)
  }),

  readTokens: defineCommand('both', 'GET', '/tokens', 'List tokens', {
    description: 'Shows a short hash of each token.',
    response: TokenList,
  }).handle(({ tokens }, { project }) => tokens.list(project)),

  replaceTokens: defineCommand('both', 'PUT', '/tokens', 'Replace the tokens', {
    // If the list is empty, any token is valid.
    body: z.object({ tokens: z.array(Token).check(unique('token')) }),
    response: TokenList,
    examples: {
      one: {
        summary: 'One token for one project',
        value: { tokens: [{ token: 'tok_acme', projects: ['acme'], expiresAt: '2030-01-01T00:00:00.000Z' }] },
      },
      none: { summary: 'Any token is valid', value: { tokens: [] } },
    },
  }).handle(({ store, tokens }, { project, body }) => {
    tokens.replace(body.tokens, project)
    if (project !== undefined) store.projects.ensure(project)
    return tokens.list(project)
  }),
}

export const settingSchemas = { Behaviors: BehaviorSettings, TokenList }

const getBehaviors = ({ store }: CommandContext, project = ''): BehaviorSettings => ({
  values: { ...store.behaviors.get(project) },
  registry: [...registry],
})

const registry: BehaviorSettings['registry'] = behaviorKeys.map((key) => {
  const { values, spec, summary } = behaviorRegistry[key]
  return { key, values: [...values], default: values[0], spec, summary }
})
