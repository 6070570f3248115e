/** The ways to reach a mock, as the model's runner and the paging walks want them. */
import { createMock } from '../../../src/node/index.ts'
import type { Subject, TestClock } from './agreement.ts'

/** Without a socket. */
export async function inProcess<T>(clock: TestClock, use: (subject: Subject) => Promise<T>): Promise<T> {
  const mock = createMock({ now: () => clock.now })
  try {
    const origin = 'http://mock.test'
    const send: Subject['send'] = async (path, init) => mock.fetch(origin + path, init)
    return await use({ origin, send, acceptsByDefault: null, summaries: () => mock.projects() })
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
    const send: Subject['send'] = (path, init) => fetch(origin + path, init)
    return await use({ origin, send, acceptsByDefault: '*/*', summaries: () => mock.projects() })
  } finally {
    await mock.close()
  }
}
