import { onTestFinished } from 'vitest'
import { createMock, type MockOptions, type Mock } from '../../src/node/index.ts'
import { expectSentences, noon } from './api.ts'

/** Calls the control API over HTTP, as curl would. */
export const startAdmin = async (options: MockOptions = {}) => {
  const mock: Mock = createMock({ clock: noon, ...options })
  onTestFinished(() => mock.close())
  const { url } = await mock.listen()
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
