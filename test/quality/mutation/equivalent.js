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
]
