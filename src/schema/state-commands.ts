import { BehaviorChoices, BehaviorSettings } from './behavior.ts'
import { Advance, ClockDocument, ClockReading } from './clock.ts'
import type { Command } from './commands.ts'
import { unpagedListOf } from './list.ts'
import { ProjectDocument, ProjectPatch, Seed, SeedPatch } from './seed.ts'
import { Health, ProjectChange, ProjectSummary, SandboxSummary, Snapshot, SnapshotName } from './summaries.ts'
import { Tokens, TokensChange } from './token.ts'

const Summaries = unpagedListOf(ProjectSummary)
const summaryOfEach = { response: ProjectSummary, responseForAll: Summaries }

/** Projects, their state, clock and tokens. */
export const stateCommands = {
  health: {
    scope: 'mock',
    method: 'GET',
    path: '/health',
    summary: 'Health check',
    response: Health,
    errors: ['shuttingDown'],
    isPublic: true,
  },
  listProjects: { scope: 'mock', method: 'GET', path: '/projects', summary: 'List projects', response: Summaries },
  retrieveProject: {
    scope: 'project',
    method: 'GET',
    path: '',
    summary: 'Retrieve a project',
    response: ProjectSummary,
  },
  changeProject: {
    scope: 'project',
    method: 'PATCH',
    path: '',
    summary: 'Update a project',
    body: ProjectChange,
    response: ProjectSummary,
  },
  deleteProject: {
    scope: 'project',
    method: 'DELETE',
    path: '',
    summary: 'Delete a project',
    errors: ['projectNotFound'],
  },

  listSandboxes: {
    scope: 'mock',
    method: 'GET',
    path: '/sandboxes',
    summary: 'List sandboxes',
    response: unpagedListOf(SandboxSummary),
    errors: ['sandboxNotFound'],
  },
  deleteSandboxes: {
    scope: 'mock',
    method: 'DELETE',
    path: '/sandboxes',
    summary: 'Delete all sandboxes',
    errors: ['sandboxNotFound'],
  },
  deleteSandbox: {
    scope: 'mock',
    method: 'DELETE',
    path: '/sandboxes/{sandbox}',
    summary: 'Delete a sandbox',
    errors: ['sandboxNotFound'],
  },

  reset: { scope: 'both', method: 'POST', path: '/reset', summary: 'Reset to the seed', ...summaryOfEach },
  exportState: {
    scope: 'both',
    method: 'GET',
    path: '/state',
    summary: 'Export the state',
    response: ProjectDocument,
    responseForAll: Seed,
  },
  loadState: {
    scope: 'both',
    method: 'PUT',
    path: '/state',
    summary: 'Replace the state',
    body: ProjectDocument,
    bodyForAll: Seed,
    ...summaryOfEach,
  },
  patchState: {
    scope: 'both',
    method: 'PATCH',
    path: '/state',
    summary: 'Add or overwrite records',
    body: ProjectPatch,
    bodyForAll: SeedPatch,
    ...summaryOfEach,
  },

  saveSnapshot: {
    scope: 'both',
    method: 'POST',
    path: '/snapshots',
    summary: 'Save a snapshot',
    status: 201,
    body: SnapshotName,
    response: Snapshot,
  },
  listSnapshots: {
    scope: 'both',
    method: 'GET',
    path: '/snapshots',
    summary: 'List snapshots',
    response: unpagedListOf(Snapshot),
  },
  restoreSnapshot: {
    scope: 'both',
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Restore a snapshot',
    ...summaryOfEach,
    errors: ['snapshotNotFound'],
  },
  deleteSnapshot: {
    scope: 'both',
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Delete a snapshot',
    errors: ['snapshotNotFound'],
  },

  readClock: { scope: 'both', method: 'GET', path: '/clock', summary: 'Retrieve the clock', response: ClockReading },
  setClock: {
    scope: 'both',
    method: 'PUT',
    path: '/clock',
    summary: 'Set the clock',
    body: ClockDocument,
    response: ClockReading,
  },
  advanceClock: {
    scope: 'both',
    method: 'POST',
    path: '/clock/advance',
    summary: 'Advance the clock',
    body: Advance,
    response: ClockReading,
  },

  readBehaviors: {
    scope: 'both',
    method: 'GET',
    path: '/behaviors',
    summary: 'List behaviors',
    response: BehaviorSettings,
  },
  changeBehaviors: {
    scope: 'both',
    method: 'PATCH',
    path: '/behaviors',
    summary: 'Change behaviors',
    body: BehaviorChoices,
    response: BehaviorSettings,
  },

  readTokens: { scope: 'both', method: 'GET', path: '/tokens', summary: 'List tokens', response: Tokens },
  replaceTokens: {
    scope: 'both',
    method: 'PUT',
    path: '/tokens',
    summary: 'Replace the tokens',
    body: TokensChange,
    response: Tokens,
  },
} as const satisfies Record<string, Command>
