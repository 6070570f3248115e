/**
 * Mutants that no test can notice, each with a reason. An entry that matches nothing has no effect.
 *
 * @type {readonly { file: string, before: string, after: string, reason: string }[]}
 */
export const equivalent = [
  {
    file: 'src/traffic/events.ts',
    before: 'size = 0',
    after: 'size = 1',
    reason: 'one character of an approximate limit of 16 MiB',
  },
  ...['() => 1', '() => -1'].map((after) => ({
    file: 'src/http/examples.ts',
    before: '() => 0',
    after,
    reason: 'the clock of the examples never reads the time of the system',
  })),
  {
    file: 'src/http/situations.ts',
    before: `method === 'GET' && path.endsWith('/{paymentLink}')`,
    after: `path.endsWith('/{paymentLink}')`,
    reason: 'a payment link has no other operation at its own path',
  },
  ...['i >= 1 && j > 1', 'i > 1 && j >= 1', 'i > 1', 'j > 1'].map((after) => ({
    file: 'src/schema/text.ts',
    before: 'i > 1 && j > 1',
    after,
    reason: 'before the first letter is undefined, which equals no letter',
  })),
  {
    file: 'src/traffic/events.ts',
    before: '16 * 1024',
    after: '16 * 1023',
    reason: 'an approximate limit of 16 MiB',
  },
  {
    file: 'src/traffic/pending-delays.ts',
    before: 'if (heldBy !== undefined) for (const listener of heldListeners) listener()',
    after: 'if (true) for (const listener of heldListeners) listener()',
    reason: 'a listener counts the held requests again, and their number is the same',
  },
  {
    file: 'src/http/apply-fault.ts',
    before: 'operation === undefined || !faults.mayApply(project)',
    after: 'operation === undefined',
    reason: 'only saves time: no fault is chosen where none may apply',
  },
  {
    file: 'src/extensions/calibrate/exchange.ts',
    before: 'status >= 200 && status < 300',
    after: 'status < 300',
    reason: '`fetch` returns no response with a status below 200',
  },
  {
    file: 'src/domain/history.ts',
    before: '-1',
    after: '-2',
    reason: 'the order of a comparison depends on the sign alone',
  },
  {
    file: 'src/domain/documents.ts',
    before: 'if (tombstones.length === 0) return []',
    after: 'if (false) return []',
    reason: 'only saves a sort: without deleted records the list is empty as well',
  },
  ...['return 7', 'return 9'].map((after) => ({
    file: 'src/domain/transaction.ts',
    before: 'return 8',
    after,
    reason: 'the characters of a number, in an approximate limit of 16 MiB',
  })),
  {
    file: 'src/extensions/explore/search-clock.ts',
    before: 'if (now() - reported < interval) return',
    after: 'if (now() - reported <= interval) return',
    reason: 'real time: a report of the progress may come one run later',
  },
  {
    file: 'src/node/program.ts',
    before: `kept: ['ignore', 'pipe', 'pipe']`,
    after: `kept: ['ignore', 'pipe']`,
    reason: 'a standard stream that is not listed is a pipe',
  },
  {
    file: 'src/extensions/worker/project-object.ts',
    before: 'address.sandbox === undefined ? given : new Request(address.url, given)',
    after: 'false ? given : new Request(address.url, given)',
    reason: 'only saves a copy: without a sandbox the address is that of the request',
  },
  {
    file: 'src/wire/sandbox-path.ts',
    before: 'if (start === -1) return undefined',
    after: 'if (false) return undefined',
    reason: 'only saves time: a URL without a path has its protocol where a name would be looked for',
  },
  {
    file: 'src/domain/collection.ts',
    before: 'layers.length > 1 && layers.at(-2)!.size < layers.at(-1)!.size * 2',
    after: 'layers.length > 1 && layers.at(-2)!.size <= layers.at(-1)!.size * 2',
    reason: 'layers are merged a little earlier, which changes only the cost',
  },
  {
    file: 'src/domain/ids.ts',
    before: '#counter = 0',
    after: '#counter = 1',
    reason: 'the generator is started before its first number',
  },
  {
    file: 'src/traffic/verify.ts',
    before: 'operation !== undefined && operation !== entry.operation ? 10 : 0',
    after: 'operation !== undefined && operation !== entry.operation ? 10 : -1',
    reason: 'it shifts the weights of all requests that it concerns',
  },
  {
    file: 'src/control/traffic-commands.ts',
    before: 'milliseconds > 0 && !check().isSettled',
    after: '!check().isSettled',
    reason: 'a wait of 0 ms changes no result',
  },
  {
    file: 'src/control/traffic-commands.ts',
    before: 'milliseconds = 0',
    after: 'milliseconds = 1',
    reason: 'a wait of 1 ms changes no result',
  },
  {
    file: 'src/control/dispatch.ts',
    before: 'schema === noQuery && Object.keys(query).length === 0',
    after: 'schema !== noQuery && Object.keys(query).length === 0',
    reason: 'an empty query is parsed to the same, only slower',
  },
  {
    file: 'src/http/idempotency-keys.ts',
    before: '16 * 1024 * 1024',
    after: '16 * 1024 * 1025',
    reason: 'a thousandth of an approximate limit',
  },
  {
    file: 'src/http/show-situation.ts',
    before: 'status: 503',
    after: 'status: 502',
    reason: 'any status from 500 shows the situation',
  },
  {
    file: 'src/http/replay-response.ts',
    before: '-1',
    after: '-2',
    reason: 'the order of a comparison depends on the sign alone',
  },
  {
    file: 'src/node/commands/run-openapi.ts',
    before: 'readSettings(args, false)',
    after: 'readSettings(args, true)',
    reason: 'it decides only on the format of a log, which this command has not',
  },
  {
    file: 'src/node/node-server.ts',
    before: 'await real.body?.cancel()',
    after: 'real.body?.cancel()',
    reason: 'the client has disconnected, so nothing follows',
  },
  {
    file: 'src/node/node-server.ts',
    before: 'await getRequestListener(handle, { ...ownGlobals, errorHandler })(incoming, outgoing)',
    after: 'getRequestListener(handle, { ...ownGlobals, errorHandler })(incoming, outgoing)',
    reason: 'it handles its errors itself, and nothing follows',
  },
  {
    file: 'src/node/server.ts',
    before: 'connectionsCheckingInterval: 1000',
    after: 'connectionsCheckingInterval: 1001',
    reason: '1 ms of an interval of one second',
  },
  {
    file: 'src/node/connections.ts',
    before: 'idleTurns = 50',
    after: 'idleTurns = 51',
    reason: 'one turn of a tolerance of fifty',
  },
  {
    file: 'src/extensions/explore/turns.ts',
    before: 'number = (this.#issued.get(actor) ?? 0) + 1',
    after: 'number = (this.#issued.get(actor) ?? 0) - 1',
    reason: 'the numbers are compared, and never shown',
  },
  {
    file: 'src/extensions/explore/dependence.ts',
    before:
      'if (later >= from && index !== step.created) yield { index, starts: listStarts(steps, before, index, later) }',
    after:
      'if (later >= from || index !== step.created) yield { index, starts: listStarts(steps, before, index, later) }',
    reason: 'races that were handled before, or that no other order has, add no choice',
  },
  {
    file: 'src/extensions/worker/storage.ts',
    before: 'text.length > maxLength ? text.match(pieces)! : [text]',
    after: 'text.length >= maxLength ? text.match(pieces)! : [text]',
    reason: 'a text of this length is one piece',
  },
  {
    file: 'src/extensions/worker/index.ts',
    before: 'options.maxSandboxes === 0 ? 0 : 1',
    after: 'options.maxSandboxes === 0 ? 0 : 2',
    reason: 'one more sandbox without records, which changes only the memory',
  },
  {
    file: 'src/domain/collection.ts',
    before: 'layers.at(-2)!.size < layers.at(-1)!.size * 2',
    after: 'layers.at(-2)!.size < layers.at(-1)!.size / 2',
    reason: 'layers are merged later, which changes only the cost',
  },
  {
    file: 'src/node/server.ts',
    before: '!incoming.readableEnded && transport.hasBody()',
    after: '!incoming.readableEnded',
    reason: 'a request without a body has nothing to discard',
  },
  {
    file: 'src/wire/respond.ts',
    before: 'maxDepth = 3',
    after: 'maxDepth = 4',
    reason: 'the parts of a long JSON are smaller where a record is large',
  },
  {
    file: 'src/extensions/playwright/index.ts',
    before: 'if (isRepeated(target, testInfo)) await sandbox.dispose()',
    after: 'if (true) await sandbox.dispose()',
    reason: 'a sandbox that nobody has opened has nothing to forget',
  },
  {
    file: 'src/extensions/worker/storage.ts',
    before: 'maxLength = 400_000',
    after: 'maxLength = 399999',
    reason: 'the pieces of a long text are one character shorter',
  },
  {
    file: 'src/extensions/worker/stored-project.ts',
    before: 'maxChanges = 1000',
    after: 'maxChanges = 999',
    reason: 'the whole project is stored one change earlier',
  },
  {
    file: 'src/extensions/explore/explored-faults.ts',
    before: 'a < b ? -1 : 1',
    after: 'a <= b ? -1 : 1',
    reason: 'the names are distinct',
  },
]
