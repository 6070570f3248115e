// Mockoon's server in this very process: its command line starts it in another one, whose CPU time nobody would tell.
const { createRequire } = require('node:module')
const { readFileSync } = require('node:fs')

const [, , folder, file] = process.argv
const { MockoonServer } = createRequire(`${folder}/package.json`)('@mockoon/commons-server')
const options = { environmentDirectory: folder, logTransaction: false, disabledRoutes: [], enableAdminApi: false }
const server = new MockoonServer(JSON.parse(readFileSync(file, 'utf8')), options)
server.on('error', (error) => {
  throw new Error(error)
})
server.start()
