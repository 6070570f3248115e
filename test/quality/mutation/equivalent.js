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
    file: 'src/schema/suggest.ts',
    before: 'i > 1 && j > 1',
    after,
    reason: 'before the first letter is undefined, which equals no letter',
  })),
]
