/** The two ways to reach a mock, as the model's runner and the paging walks want them. */
import { createMock } from '../../src/node/index.ts'
import type { Subject, TestClock } from './agreement.ts'

/** Without a socket. */
export async function inProcess<T>(clock: TestClock, use: (subject: Subject) => Promise<T>): Promise<T> {
  const mock = createMock({ now: () => clock.now })
  try {
    const origin = 'http://mock.test'
    return await use({ origin, send: async (path, init) => mock.fetch(origin + path, init), control: controlOf(mock) })
  } finally {
    await mock.close()
  }
}

/** Through a socket on a free port. */
export async function overHttp<T>(clock: TestClock, use: (subject: Subject) => Promise<T>): Promise<T> {
  const mock = createMock({ now: () => clock.now })
  try {
    const { url } = await mock.listen({ port: 0 })
    const { origin } = new URL(url)
    return await use({ origin, send: (path, init) => fetch(origin + path, init), control: controlOf(mock) })
  } finally {
    await mock.close()
  }
}

function controlOf(mock: ReturnType<typeof createMock>): Subject['control'] {
  return {
    pay: (project, id) => outcomeOf(() => mock.project(project).paymentLinks.pay(id)),
    cancel: (project, id) => outcomeOf(() => mock.project(project).paymentLinks.cancel(id)),
    reset: async (project) => void (await mock.project(project).reset()),
  }
}

/** 'done', or the code of the refusal. */
async function outcomeOf(act: () => unknown): Promise<string> {
  try {
    await act()
    return 'done'
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return String(thrown.code)
    throw thrown
  }
}
