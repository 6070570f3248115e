import { expect, it } from 'vitest'
import { normalizeHost, isTrustedHost } from '../../src/http/transport.ts'

it.each([
  // No browser sends an empty one, so no page can have been rebound to it.
  ['', [], true],
  ['[::1]:4600', [], true],
  ['[::1].evil.com', [], false],
  ['127.0.0.1', [], true],
  ['127.0.0.1.evil.com', [], false],
  ['mock.localhost', [], true],
  ['mock.localhost.evil.com', [], false],
  ['mock.example', [], false],
  ['Mock.Example.:8443', ['mock.example'], true],
  ['mock.example', ['other.example', 'MOCK.example:4600'], true],
  ['sub.mock.example', ['mock.example'], false],
  ['sub.mock.example', ['*.mock.example'], true],
  ['mock.example', ['*.mock.example'], false],
  ['evilmock.example', ['*.mock.example'], false],
])('the Host %j is its own if %j are allowed: %s', (host, allowed, own) => {
  expect(isTrustedHost(host, allowed)).toBe(own)
})

it.each(['mock.example', 'MOCK.example', 'mock.example.', 'mock.example:8443', 'mock.example.:8443'])(
  'the name in the Host %s is mock.example',
  (host) => {
    expect(normalizeHost(host)).toBe('mock.example')
  },
)
