import { BehaviorChoices, BehaviorReadings } from './behavior.ts'
import { Advance, ClockDocument, ClockReading } from './clock.ts'
import { Health } from './health.ts'
import { ProjectChange, ProjectSummary } from './project.ts'
import { ProjectDocument, ProjectPatch, Seed, SeedPatch } from './seed.ts'
import { Snapshot, SnapshotName } from './snapshot.ts'
import { Tokens, TokensChange } from './token.ts'
import { items, type Verb } from './verb.ts'

const Summaries = items(ProjectSummary)
const summaryOfEach = { response: ProjectSummary, responseForAll: Summaries }

/** Projects, their state, clock and tokens. */
export const stateVerbs = {
  health: { scope: 'mock', method: 'GET', path: '/health', summary: 'Tell that the mock is up', response: Health },
  listProjects: { scope: 'mock', method: 'GET', path: '/projects', summary: 'List the projects', response: Summaries },
  retrieveProject: {
    scope: 'project',
    method: 'GET',
    path: '',
    summary: 'See a project at a glance',
    response: ProjectSummary,
  },
  changeProject: {
    scope: 'project',
    method: 'PATCH',
    path: '',
    summary: 'Set the preferred locale',
    body: ProjectChange,
    response: ProjectSummary,
  },
  deleteProject: { scope: 'project', method: 'DELETE', path: '', summary: 'Take a project away' },

  reset: { scope: 'both', method: 'POST', path: '/reset', summary: 'Go back to the seed', ...summaryOfEach },
  exportState: {
    scope: 'both',
    method: 'GET',
    path: '/state',
    summary: 'Export the state as a seed',
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
    summary: 'Add or overwrite rows',
    body: ProjectPatch,
    bodyForAll: SeedPatch,
    ...summaryOfEach,
  },

  saveSnapshot: {
    scope: 'both',
    method: 'POST',
    path: '/snapshots',
    summary: 'Save the state under a name',
    status: 201,
    body: SnapshotName,
    response: Snapshot,
  },
  listSnapshots: {
    scope: 'both',
    method: 'GET',
    path: '/snapshots',
    summary: 'List the snapshots',
    response: items(Snapshot),
  },
  restoreSnapshot: {
    scope: 'both',
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Go back to a snapshot',
    ...summaryOfEach,
  },
  deleteSnapshot: { scope: 'both', method: 'DELETE', path: '/snapshots/{name}', summary: 'Forget a snapshot' },

  readClock: { scope: 'both', method: 'GET', path: '/clock', summary: 'Read the clock', response: ClockReading },
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
    summary: 'Advance the clock; due plans come true',
    body: Advance,
    response: ClockReading,
  },

  readBehaviors: {
    scope: 'both',
    method: 'GET',
    path: '/behaviors',
    summary: 'Read the readings of what the specification leaves open',
    response: BehaviorReadings,
  },
  changeBehaviors: {
    scope: 'both',
    method: 'PATCH',
    path: '/behaviors',
    summary: 'Choose other readings',
    body: BehaviorChoices,
    response: BehaviorReadings,
  },

  readTokens: { scope: 'both', method: 'GET', path: '/tokens', summary: 'List the tokens, redacted', response: Tokens },
  replaceTokens: {
    scope: 'both',
    method: 'PUT',
    path: '/tokens',
    summary: 'Replace the tokens',
    body: TokensChange,
    response: Tokens,
  },
} as const satisfies Record<string, Verb>
