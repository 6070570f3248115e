import { describe, expect } from 'vitest'
import { connect } from '../../src/core/client/index.ts'
import type { ServerControl } from '../../src/core/client/control.ts'
import { createMock, type MockOptions, type Mock } from '../../src/node/index.ts'
import { expectSentences, noon } from './api.ts'
import { closeSearched, expectNoLeak, token } from './canary.ts'
import { guardError, findLoneSurrogate } from './read.ts'
import { listeningMock } from './mock.ts'

/** A mock, and the control interface that the suite runs on: the mock's own, or one that is connected to it. */
const startMock = async (how: string, options: MockOptions) => {
  const mock = createMock({ clock: noon, ...options })
  closeSearched(mock)
  const listen = async () => connect((await mock.listen({ adminToken: 'secret' })).url, { adminToken: 'secret' })
  const control: ServerControl = how === 'embedded' ? mock : await listen()
  return { mock, control, acme: control.project('acme') }
}

/** Runs one suite on the embedded control interface and, with SLOW_TESTS, on one that is connected over HTTP. */
export const describeControl = (
  name: string,
  suite: (start: (options?: MockOptions) => ReturnType<typeof startMock>) => void,
): void => {
  describe.each(process.env.SLOW_TESTS ? ['embedded', 'connected'] : ['embedded'])(`${name}, %s`, (how) => {
    suite((options = {}) => startMock(how, options))
  })
}

/** Asks the mocked API of a project, as a client would. */
export const ask = async (mock: Mock, path: string, method = 'GET', body?: unknown) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await mock.fetch(path, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  expectNoLeak(response.headers, text)
  if (response.status >= 400) expect(findLoneSurrogate(text)).toBeUndefined()
  return { status: response.status, body: guardError(response.status, JSON.parse(text)) }
}

/** Calls the control API over HTTP, as curl would. */
export const startAdmin = async (options: MockOptions = {}) => {
  const { mock, url } = await listeningMock({ clock: noon, ...options })
  const call = async (method: string, path: string, sent?: unknown) => {
    const response = await fetch(`${url}/__admin${path}`, {
      method,
      ...(sent !== undefined && { body: JSON.stringify(sent), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text)
    if (response.status >= 400) expectSentences(body)
    return { status: response.status, headers: response.headers, body }
  }
  return { mock, url, call }
}
