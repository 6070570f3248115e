// Ours as it listens inside somebody's process, where no global may be replaced.
import { createMock } from 'paylink-mock'

const records = Number(process.env.RECORDS ?? 1000)
const paymentLinks = { active: records / 2, completed: records / 4, canceled: records / 4 }
const mock = createMock({ seed: { projects: { acme: { generate: { users: records, paymentLinks } } } } })
const { port } = await mock.listen()
process.stdout.write(`ready on ${port}\n`)
