import * as z from 'zod/mini'
import { BehaviorChoices, behaviorKeys, behaviorRegistry, BehaviorSettings } from '../schema/behavior.ts'
import { ClockDocument, ClockStatus, maxTime, minTime } from '../schema/clock-document.ts'
import { Token, TokenList } from '../schema/seed.ts'
import { intFrom, unique } from '../schema/zod-helpers.ts'
import { type CommandContext, defineCommand } from './command.ts'

export const settingCommands = {
  readClock: defineCommand('both', 'GET', '/clock', 'Retrieve the clock', { response: ClockStatus }).handle(
    ({ store }, { project }) => store.clock.getStatus(project ?? ''),
  ),

  setClock: defineCommand('both', 'PUT', '/clock', 'Set the clock', {
    body: ClockDocument,
    response: ClockStatus,
    examples: {
      real: { summary: 'The real time', value: { mode: 'real' } },
      frozen: { summary: 'A frozen time', value: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' } },
      stepping: { summary: 'One second more with each write', value: { mode: 'stepping', step: 1000 } },
    },
  }).handle(({ store }, { project, body }) => {
    store.clock.set(body, project)
    return store.clock.getStatus(project ?? '')
  }),

  advanceClock: defineCommand('both', 'POST', '/clock/advance', 'Advance the clock', {
    description: 'Runs the scheduled payments that are due then.',
    body: z.object({ milliseconds: intFrom(0, maxTime - minTime) }),
    response: ClockStatus,
    examples: { minute: { summary: 'One minute', value: { milliseconds: 60_000 } } },
  }).handle(({ store }, { project, body }) => {
    store.clock.advance(body.milliseconds, project)
    return store.clock.getStatus(project ?? '')
  }),

  readBehaviors: defineCommand('both', 'GET', '/behaviors', 'List behaviors', { response: BehaviorSettings }).handle(
    (mock, { project }) => getBehaviors(mock, project),
  ),

  changeBehaviors: defineCommand('both', 'PATCH', '/behaviors', 'Change behaviors', {
    body: BehaviorChoices,
    response: BehaviorSettings,
    examples: { values: { summary: 'Two behaviors', value: { cancelInactive: 'idempotent', createStatus: 200 } } },
  }).handle((mock, { project, body }) => {
    mock.store.behaviors.set(body, project)
    return getBehaviors(mock, project)
  }),

  readTokens: defineCommand('both', 'GET', '/tokens', 'List tokens', {
    description: 'Shows a short hash of each token.',
    response: TokenList,
  }).handle(({ tokens }, { project }) => tokens.list(project)),

  replaceTokens: defineCommand('both', 'PUT', '/tokens', 'Replace the tokens', {
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

const getBehaviors = ({ store }: CommandContext, project = ''): BehaviorSettings => ({
  values: { ...store.behaviors.get(project) },
  registry: [...behaviorList],
})

const behaviorList: BehaviorSettings['registry'] = behaviorKeys.map((key) => {
  const { values, spec, summary } = behaviorRegistry[key]
  return { key, values: [...values], default: values[0], spec, summary }
})
