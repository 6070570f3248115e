import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { idAt } from '../servers/store.js'
import { startProcess } from './process.js'
import { createWorkloads } from './workloads.js'

// The ids that the mock derives, from its source: the package does not export them.
const bundle = await rolldown({ input: new URL('../../../src/core/domain/ids.ts', import.meta.url).pathname })
const { output } = await bundle.generate()
export const { deriveId } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)

const here = (path) => new URL(path, import.meta.url).pathname
const project = here('../../..')

const writeSeed = (records, folder) => {
  const file = join(folder, `${records}.json`)
  const links = { active: records / 2, completed: records / 4, canceled: records / 4 }
  writeFileSync(file, JSON.stringify({ projects: { acme: { generate: { users: records, paymentLinks: links } } } }))
  return file
}

const startBuild = (checkout, records, folder) => {
  const cli = join(checkout, 'dist/cli/cli.js')
  return startProcess([cli, '--port', '0', '--log', 'silent', '--seed', writeSeed(records, folder)])
}

/** Starters of the servers, by name. Each has `records` users and links. Seed files are written into the folder. */
const servers = {
  hono: (records) => startProcess([here('../servers/hono.js')], { env: { RECORDS: String(records) } }),
  ours: (records, folder) => startBuild(project, records, folder),
  other: (records, folder, checkout) => startBuild(checkout, records, folder),
}

/** Starts a server. `checkout` is that of another build. */
export const startServer = async (name, records, folder, checkout) => {
  const process = servers[name](records, folder, checkout)
  const [, port] = await process.line(/ready on (?:http:\/\/127\.0\.0\.1:)?(\d+)/)
  return { name, process, port, workloads: createWorkloads((name === 'hono' ? pickIds : pickOwnIds)(records)) }
}

/** Picks random ids: a few neighboring records would stay in the caches of the processor. */
const randomIds = (idAt) => (records) =>
  Array.from({ length: Math.min(records, 20_000) }, () => idAt(Math.floor(Math.random() * records)))

const pickIds = randomIds((n) => idAt('usr', n))

/** Picks ids of generated users in `acme`. */
const pickOwnIds = randomIds((n) => deriveId('paylink-mock', 'acme', 'usr', n))
