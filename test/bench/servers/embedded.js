// Ours as it listens inside somebody's process, where no global may be replaced.
import { createMock } from 'paylink-mock'

const rows = Number(process.env.ROWS ?? 1000)
const paymentLinks = { active: rows / 2, completed: rows / 4, canceled: rows / 4 }
const mock = createMock({ seed: { projects: { acme: { generate: { users: rows, paymentLinks } } } } })
const { port } = await mock.listen()
process.stdout.write(`ready on ${port}\n`)
