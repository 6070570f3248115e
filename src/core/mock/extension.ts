// The parts of the core that the wings use. Besides these, they import only its shapes and its client.
export { type Core, createCore } from './core.ts'
export { buildMock, buildMockWithoutSockets, type Mock } from './mock.ts'
export type { ObservedOutcome, ObservedRequest, OnArrival } from './observe.ts'
export { splitSandboxPath } from './sandboxes.ts'
export { getCommandPath } from '../control/command.ts'
export { type Call, type CommandId, commands, type ControlClient } from '../control/commands.ts'
export { createDraws, idSuffixLength } from '../domain/ids.ts'
export { kinds } from '../domain/kinds.ts'
export { getBearerToken, hashSecret } from '../domain/tokens.ts'
export type { Access } from '../domain/projects.ts'

// For a storage, which keeps the state of a project as data.
export { type Entry, getId, isStoredRecord, toRecord } from '../domain/collection.ts'
export { buildProjectState, exportProject } from '../domain/documents.ts'
export { type Collections, mapKinds, type RecordKind, recordKinds, type RecordValue } from '../domain/kinds.ts'
export type { ProjectState } from '../domain/project-state.ts'
export type { SavedProject } from '../domain/snapshots.ts'

// For a server of another platform.
export { checkAccess } from '../control/access.ts'
export { createErrorResponse } from '../http/respond.ts'
export { getHost } from '../http/transport.ts'
