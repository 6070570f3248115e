import { defineCommand } from '../command-definition.ts'
import { BehaviorChoices, BehaviorSettings } from '../behavior.ts'
import { Advance, ClockDocument, ClockStatus } from '../clock-document.ts'
import { buildUnpagedListSchema } from '../list.ts'
import { ProjectDocument, ProjectPatch, Seed, SeedPatch, TokenList, TokensChange } from '../seed.ts'
import { Health, ProjectChange, ProjectSummary, SandboxSummary, Snapshot, SnapshotCreate } from '../summaries.ts'

const Summaries = buildUnpagedListSchema(ProjectSummary)
const summaryOfEach = { response: ProjectSummary, responseForAll: Summaries }

/** The state of a project in the examples. */
const project = {
  preferredLocale: 'pt-BR',
  invoices: ['inv_100'],
  users: [{ email: 'ada@example.com', fullName: 'Ada Lovelace' }],
  paymentLinks: [{ invoice: 'inv_100', status: 'completed' }],
}
/** Projects, their state, snapshots, clock, behaviors and tokens. */
export const stateCommands = {
  health: defineCommand('mock', 'GET', '/health', 'Health check', {
    description: 'Needs no token.',
    isPublic: true,
    response: Health,
    errors: ['shuttingDown'],
  }),

  listProjects: defineCommand('mock', 'GET', '/projects', 'List projects', { response: Summaries }),
  retrieveProject: defineCommand('project', 'GET', '', 'Retrieve a project', { response: ProjectSummary }),

  changeProject: defineCommand('project', 'PATCH', '', 'Update a project', {
    description: 'Sets the preferred locale.',
    body: ProjectChange,
    response: ProjectSummary,
    examples: { locale: { summary: 'Another preferred locale', value: { preferredLocale: 'pt-BR' } } },
  }),

  deleteProject: defineCommand('project', 'DELETE', '', 'Delete a project', {
    description: 'The next use of the project creates it again from the template.',
    errors: ['projectNotFound'],
  }),

  listSandboxes: defineCommand('mock', 'GET', '/sandboxes', 'List sandboxes', {
    response: buildUnpagedListSchema(SandboxSummary),
    errors: ['sandboxNotFound'],
  }),

  deleteSandboxes: defineCommand('mock', 'DELETE', '/sandboxes', 'Delete all sandboxes', {
    errors: ['sandboxNotFound'],
  }),

  deleteSandbox: defineCommand('mock', 'DELETE', '/sandboxes/{sandbox}', 'Delete a sandbox'),

  reset: defineCommand('both', 'POST', '/reset', 'Reset to the seed', { ...summaryOfEach }),

  exportState: defineCommand('both', 'GET', '/state', 'Export the state', {
    description: 'Returns a seed document, which `PUT` accepts.',
    response: ProjectDocument,
    responseForAll: Seed,
  }),

  loadState: defineCommand('both', 'PUT', '/state', 'Replace the state', {
    body: ProjectDocument,
    bodyForAll: Seed,
    ...summaryOfEach,
    examples: {
      empty: { summary: 'No records', value: {} },
      project: { summary: 'A project with one user and one link', value: project },
    },
    examplesForAll: {
      empty: { summary: 'No projects', value: {} },
      seed: {
        summary: 'A frozen clock and one project',
        value: { clock: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' }, projects: { acme: project } },
      },
    },
  }),

  patchState: defineCommand('both', 'PATCH', '/state', 'Add or overwrite records', {
    body: ProjectPatch,
    bodyForAll: SeedPatch,
    ...summaryOfEach,
    examples: { users: { summary: 'One more user', value: { users: [{ email: 'hedy@example.com' }] } } },
    examplesForAll: {
      users: {
        summary: 'One more user in one project',
        value: { projects: { acme: { users: [{ email: 'hedy@example.com' }] } } },
      },
    },
  }),

  saveSnapshot: defineCommand('both', 'POST', '/snapshots', 'Save a snapshot', {
    status: 201,
    body: SnapshotCreate,
    response: Snapshot,
    examples: { name: { summary: 'A name', value: { name: 'paid' } } },
  }),

  listSnapshots: defineCommand('both', 'GET', '/snapshots', 'List snapshots', {
    response: buildUnpagedListSchema(Snapshot),
  }),

  restoreSnapshot: defineCommand('both', 'POST', '/snapshots/{name}/restore', 'Restore a snapshot', {
    ...summaryOfEach,
  }),

  deleteSnapshot: defineCommand('both', 'DELETE', '/snapshots/{name}', 'Delete a snapshot'),

  readClock: defineCommand('both', 'GET', '/clock', 'Retrieve the clock', { response: ClockStatus }),

  setClock: defineCommand('both', 'PUT', '/clock', 'Set the clock', {
    body: ClockDocument,
    response: ClockStatus,
    examples: {
      real: { summary: 'The real time', value: { mode: 'real' } },
      frozen: { summary: 'A frozen time', value: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' } },
      stepping: { summary: 'One second more with each write', value: { mode: 'stepping', step: 1000 } },
    },
  }),

  advanceClock: defineCommand('both', 'POST', '/clock/advance', 'Advance the clock', {
    description: 'Runs the scheduled payments that are due then.',
    body: Advance,
    response: ClockStatus,
    examples: { minute: { summary: 'One minute', value: { milliseconds: 60_000 } } },
  }),

  readBehaviors: defineCommand('both', 'GET', '/behaviors', 'List behaviors', { response: BehaviorSettings }),

  changeBehaviors: defineCommand('both', 'PATCH', '/behaviors', 'Change behaviors', {
    body: BehaviorChoices,
    response: BehaviorSettings,
    examples: {
      values: { summary: 'Two behaviors', value: { cancelInactive: 'idempotent', createStatus: 200 } },
    },
  }),

  readTokens: defineCommand('both', 'GET', '/tokens', 'List tokens', {
    description: 'Shows a short hash of each token.',
    response: TokenList,
  }),

  replaceTokens: defineCommand('both', 'PUT', '/tokens', 'Replace the tokens', {
    body: TokensChange,
    response: TokenList,
    examples: {
      one: {
        summary: 'One token for one project',
        value: { tokens: [{ token: 'tok_acme', projects: ['acme'], expiresAt: '2030-01-01T00:00:00.000Z' }] },
      },
      none: { summary: 'Any token is valid', value: { tokens: [] } },
    },
  }),
}
