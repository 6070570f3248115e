// A user's program: it compiles without skipLibCheck, with and without the types of Node.
import { createMock, type Mock } from 'paylink-mock'
import { connect, type Control } from 'paylink-mock/client'
import { matchers } from 'paylink-mock/matchers'
import { createMock as createNodeMock, type NodeMock } from 'paylink-mock/node'
import { type PaylinkWorker, paylinkWorker } from 'paylink-mock/worker'

export const worker: PaylinkWorker = paylinkWorker({ clock: 'stepping' })

const control = (mock: Control) => mock.project('acme').paymentLinks.create({ invoice: 'inv_1' })

export const run = async (): Promise<string> => {
  // Without the condition `node`, as a bundler resolves, only this one can listen.
  const mock: NodeMock = createNodeMock()
  const same: Mock = createMock({ clock: 'frozen' })
  const { url, adminToken } = await mock.listen({ port: 0 })
  const links = [await control(mock), await control(same), await control(connect(url, { adminToken }))]
  const { pass } = await matchers.toHaveNoViolations(mock)
  await mock.close()
  return `${pass} ${links.map(({ status }) => status).join()}`
}
