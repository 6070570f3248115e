// The raw ceiling as a process: see raw.js.
import { createServer } from 'node:http'
import { createRaw } from './raw.js'

const server = createServer(createRaw(Number(process.env.RECORDS ?? 1000)))
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready on ${server.address().port}\n`))
