// Serves users of a megabyte, and prints how much memory the process had at most. Ends when its input ends.
import { createMock } from '../../../dist/node/index.js'

const users = Array.from({ length: 200 }, (_, index) => ({
  email: 'a@b.c',
  // Distinct flat strings: padded strings would share memory.
  fullName: Buffer.from(`${index}`.padEnd(1_000_000, 'x')).toString('latin1'),
}))
const mock = createMock({ seed: { projects: { acme: { users } } } })
users.length = 0
const { url } = await mock.listen()
const before = process.memoryUsage().rss
console.log(JSON.stringify({ url }))
process.stdin.resume().on('end', async () => {
  // In kilobytes.
  const { maxRSS } = process.resourceUsage()
  console.log(JSON.stringify({ before: before / 1e6, most: (maxRSS * 1024) / 1e6 }))
  await mock.close()
})
