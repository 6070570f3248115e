// A CommonJS test: in jest, `require` of an ES module fails on Node 20 and 22.
const { beforeAll, expect, test } = require('@jest/globals')

let mock
beforeAll(async () => {
  const { createMock } = await import('paylink-mock')
  mock = createMock()
})

test('a CommonJS test imports the package', async () => {
  const { email } = await mock.project('acme').users.create({ email: 'ada@example.com' })
  expect(email).toBe('ada@example.com')
})
