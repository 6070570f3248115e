import { createRequire } from 'node:module'

// An `import` reads all exports of a module. In Node 24 some exports of `node:http` load `fetch` and WebSocket, which takes
// as long as all other files of the command line.
const require = createRequire(import.meta.url)

export const { createServer, STATUS_CODES } = require('node:http') as typeof import('node:http')
