// A user's program: it compiles without skipLibCheck, with and without the types of Node.
import { createMock, type ListenOptions, type Mock, type Server } from 'paylink-mock'
import { connect, type Control } from 'paylink-mock/client'
import { matchers } from 'paylink-mock/matchers'
import { type PaylinkWorker, paylinkWorker } from 'paylink-mock/worker'

export const worker: PaylinkWorker = paylinkWorker({ clock: 'stepping' })

const control = (mock: Control) => mock.project('acme').paymentLinks.create({ invoice: 'inv_1' })

export const run = async (): Promise<string> => {
  const mock: Mock = createMock({ clock: 'frozen' })
  const options: ListenOptions = { port: 0 }
  const { url, adminToken }: Server = await mock.listen(options)
  const links = [await control(mock), await control(connect(url, { adminToken }))]
  const { pass } = await matchers.toHaveNoViolations(mock)
  await mock.close()
  return `${pass} ${links.map(({ status }) => status).join()}`
}
