// Run by vitest in a folder of its own, where the packed mock is installed: an assertion without `await`, and no fixtures.
import { createMock } from 'paylink-mock'
import { matchers } from 'paylink-mock/matchers'
import { expect, test } from 'vitest'

expect.extend(matchers)

const mock = createMock()

test('forgets to wait', () => {
  void expect(mock).toHaveReceived('createUser', { within: 50 })
})

test('comes next', () => new Promise((resolve) => setTimeout(resolve, 100)))
