import { chai } from 'vitest'

// `rejects.toThrow('...')` accepts a rejection with undefined, whatever it expects.
const marker = Symbol.for('paylink-mock: rejections')
const shared = globalThis as { [marker]?: true }

// This file runs before each test file, and the assertions stay.
if (!shared[marker]) {
  shared[marker] = true
  chai.use((_, utils) => {
    utils.overwriteMethod(
      chai.Assertion.prototype,
      'toThrow',
      (toThrow: (...args: unknown[]) => void) =>
        function (this: object, ...args: unknown[]) {
          if (utils.flag(this, 'promise') === 'rejects' && utils.flag(this, 'object') === undefined)
            throw new chai.AssertionError('The promise was rejected with undefined.')
          toThrow.apply(this, args)
        },
    )
  })
}
