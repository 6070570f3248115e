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
]
