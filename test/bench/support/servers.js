import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProcess } from './process.js'
import { worksOn } from './works.js'

const here = (path) => new URL(path, import.meta.url).pathname
/** Our command line. */
export const cli = here('../../../dist/node/cli.js')

const script = (name) => (rows) => startProcess([here(`../servers/${name}.js`)], { env: { ROWS: String(rows) } })

const seedOf = (rows, folder) => {
  const file = join(folder, `${rows}.json`)
  const links = { active: rows / 2, completed: rows / 4, canceled: rows / 4 }
  writeFileSync(file, JSON.stringify({ projects: { acme: { generate: { users: rows, paymentLinks: links } } } }))
  return file
}

/** The servers of our interface, each with so many users and links. What they need of files is written into the folder. */
const servers = {
  ceiling: script('ceiling'),
  fixed: script('fixed'),
  hono: script('hono'),
  ours: (rows, folder) => startProcess([cli, '--port', '0', '--log', 'silent', '--seed', seedOf(rows, folder)]),
  embedded: script('embedded'),
}

/** Starts one of them. */
export const started = async (name, rows, folder) => {
  const process = servers[name](rows, folder)
  const [, port] = await process.line(/ready on (?:http:\/\/127\.0\.0\.1:)?(\d+)/)
  return { name, process, port, works: name === 'fixed' ? uncheckedWorks : worksOn(await look(port)) }
}

/** Rows to ask for: they have other ids in each server. */
const look = async (port) => {
  const headers = { authorization: 'Bearer bench', accept: 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}/projects/acme/users?limit=200`, { headers })
  const { items } = await response.json()
  return { ids: items.map((user) => user.id), email: items[7].email, links: [] }
}

const uncheckedWorks = Object.fromEntries(
  Object.entries(worksOn({ ids: ['usr_1'] })).map(([work, { request }]) => [work, { request, check: () => undefined }]),
)
