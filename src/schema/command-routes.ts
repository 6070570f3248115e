/** A command of the control API without its schemas. */
export interface CommandRoute {
  /** The command applies to the mock, to one project, or to either all projects or one. */
  readonly scope: 'mock' | 'project' | 'both'
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/__admin`, or below `/__admin/projects/{project}`. */
  readonly path: string
  readonly summary: string
  /** The response is text, unless the query has `format=json`. */
  readonly text?: true
  /** The command needs no token and ignores the query. */
  readonly isPublic?: true
}

const defineFor =
  <const S extends CommandRoute['scope']>(scope: S) =>
  <const P extends string>(method: CommandRoute['method'], path: P, summary: string) => ({
    scope,
    method,
    path,
    summary,
  })

/** Defines a command for all projects and for one. */
const command = defineFor('both')
/** Defines a command for one project. */
const projectCommand = defineFor('project')
/** Defines a command for the mock as a whole. */
const mockCommand = defineFor('mock')

/** Projects, their state, clock and tokens. */
export const stateRoutes = {
  health: { ...mockCommand('GET', '/health', 'Health check'), isPublic: true as const },
  listProjects: mockCommand('GET', '/projects', 'List projects'),
  retrieveProject: projectCommand('GET', '', 'Retrieve a project'),
  changeProject: projectCommand('PATCH', '', 'Update a project'),
  deleteProject: projectCommand('DELETE', '', 'Delete a project'),

  listSandboxes: mockCommand('GET', '/sandboxes', 'List sandboxes'),
  deleteSandboxes: mockCommand('DELETE', '/sandboxes', 'Delete all sandboxes'),
  deleteSandbox: mockCommand('DELETE', '/sandboxes/{sandbox}', 'Delete a sandbox'),

  reset: command('POST', '/reset', 'Reset to the seed'),
  exportState: command('GET', '/state', 'Export the state'),
  loadState: command('PUT', '/state', 'Replace the state'),
  patchState: command('PATCH', '/state', 'Add or overwrite records'),

  saveSnapshot: command('POST', '/snapshots', 'Save a snapshot'),
  listSnapshots: command('GET', '/snapshots', 'List snapshots'),
  restoreSnapshot: command('POST', '/snapshots/{name}/restore', 'Restore a snapshot'),
  deleteSnapshot: command('DELETE', '/snapshots/{name}', 'Delete a snapshot'),

  readClock: command('GET', '/clock', 'Retrieve the clock'),
  setClock: command('PUT', '/clock', 'Set the clock'),
  advanceClock: command('POST', '/clock/advance', 'Advance the clock'),

  readBehaviors: command('GET', '/behaviors', 'List behaviors'),
  changeBehaviors: command('PATCH', '/behaviors', 'Change behaviors'),

  readTokens: command('GET', '/tokens', 'List tokens'),
  replaceTokens: command('PUT', '/tokens', 'Replace the tokens'),
} satisfies Record<string, CommandRoute>

/** Reading and writing records without a token of the mocked API, and paying payment links. */
export const recordRoutes = {
  listUsers: projectCommand('GET', '/users', 'List users'),
  createUser: projectCommand('POST', '/users', 'Create a user'),
  retrieveUser: projectCommand('GET', '/users/{user}', 'Retrieve a user'),
  patchUser: projectCommand('PATCH', '/users/{user}', 'Update a user'),
  deleteUser: projectCommand('DELETE', '/users/{user}', 'Delete a user'),

  listPaymentLinks: projectCommand('GET', '/paymentLinks', 'List payment links'),
  createPaymentLink: projectCommand('POST', '/paymentLinks', 'Create a payment link'),
  retrievePaymentLink: projectCommand('GET', '/paymentLinks/{paymentLink}', 'Retrieve a payment link'),
  patchPaymentLink: projectCommand('PATCH', '/paymentLinks/{paymentLink}', 'Update a payment link'),
  deletePaymentLink: projectCommand('DELETE', '/paymentLinks/{paymentLink}', 'Delete a payment link'),

  payPaymentLink: projectCommand('POST', '/paymentLinks/{paymentLink}/pay', 'Pay a payment link'),
  cancelPaymentLink: projectCommand('POST', '/paymentLinks/{paymentLink}/cancel', 'Cancel a payment link'),
  listScheduledPayments: command('GET', '/scheduledPayments', 'List scheduled payments'),
  cancelScheduledPayments: command('DELETE', '/scheduledPayments', 'Cancel all scheduled payments'),
  cancelScheduledPaymentsOf: command(
    'DELETE',
    '/scheduledPayments/{paymentLink}',
    'Cancel the scheduled payments of a link',
  ),
} satisfies Record<string, CommandRoute>

/** The recorded requests, the diagnostics made from them, the faults and the events. */
export const trafficRoutes = {
  listRequests: command('GET', '/requests', 'List recorded requests'),
  clearRequests: command('DELETE', '/requests', 'Clear the journal'),
  retrieveRequest: command('GET', '/requests/{request}', 'Retrieve a recorded request'),
  verifyRequests: command('POST', '/requests/verify', 'Verify requests'),

  listViolations: command('GET', '/violations', 'List violations'),
  verifyViolations: command('POST', '/violations/verify', 'Verify that there are no violations'),
  listAssumptions: command('GET', '/assumptions', 'List assumptions'),

  listFaults: command('GET', '/faults', 'List faults'),
  addFault: command('POST', '/faults', 'Create a fault'),
  removeFaults: command('DELETE', '/faults', 'Delete all faults'),
  retrieveFault: command('GET', '/faults/{fault}', 'Retrieve a fault'),
  removeFault: command('DELETE', '/faults/{fault}', 'Delete a fault'),

  releaseFault: command('POST', '/faults/{fault}/release', 'Release held requests'),
  waitForHeld: command('POST', '/faults/{fault}/wait', 'Wait for held requests'),

  report: { ...command('GET', '/report', 'Report what happened'), text: true as const },
  events: command('GET', '/events', 'Stream events'),
} satisfies Record<string, CommandRoute>

/** The commands as a client sees them. It does not need their schemas, which take longer to load than the client itself. */
export const commandRoutes = { ...stateRoutes, ...recordRoutes, ...trafficRoutes }

export type CommandId = keyof typeof commandRoutes
export const commandIds = Object.keys(commandRoutes) as CommandId[]
