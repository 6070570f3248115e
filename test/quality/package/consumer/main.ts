// A user's program: it compiles without skipLibCheck, with and without the types of Node.
import { createMock, type ListenOptions, type Mock, type OperationId, type Server, type UserSeed } from 'paylink-mock'
import { connect, type Control, type FaultHandle, type Matcher, type ProjectControl } from 'paylink-mock/client'
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

/** An optional argument can be a variable that is undefined. */
export const list = async (acme: ProjectControl, fault: FaultHandle, limit?: number, text?: string) => [
  await acme.users.list({ limit, email: text, after: text, before: text }),
  await acme.paymentLinks.list({ limit, invoice: text, status: text }),
  await acme.requests.list({ limit, since: text }),
  await acme.patch({ preferredLocale: text }),
  await fault.waitForHeld(1, { within: limit }),
  acme.events({ after: limit }),
]

/** Helpers can name the types of arguments, and use a result as an argument. */
export const makeUser = (fields: Partial<UserSeed>): UserSeed => ({ email: 'ada@example.com', ...fields })
export const matchOf = (operation: OperationId | undefined): Matcher => ({ operation })
export const matchLast = async ({ requests }: ProjectControl): Promise<Matcher> => {
  const last = (await requests.list()).items.at(-1)
  return matchOf(last?.operation ?? undefined)
}
