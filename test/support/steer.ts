import { onTestFinished } from 'vitest'
import { createMock, type MockOptions, type NodeMock } from '../../src/node/index.ts'
import { noon } from './api.ts'

/** Calls the control plane over HTTP, as curl would. */
export const startAdmin = async (options: MockOptions = {}) => {
  const mock: NodeMock = createMock({ clock: noon, ...options })
  onTestFinished(() => mock.close())
  const { url } = await mock.listen()
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/__admin${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  return { mock, url, call }
}
