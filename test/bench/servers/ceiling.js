// The raw ceiling as a process: see raw.js. With DUTIES=1 it has all duties.
import { createServer } from 'node:http'
import { createRaw, createRawWithDuties, serverOptions } from './raw.js'

const records = Number(process.env.RECORDS ?? 1000)
const server = process.env.DUTIES
  ? createServer(serverOptions, createRawWithDuties(records))
  : createServer(createRaw(records))
if (process.env.DUTIES) server.maxHeadersCount = 0
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready on ${server.address().port}\n`))
