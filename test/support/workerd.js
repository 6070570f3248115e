// The Worker of the built package in workerd, by its own simulator, which is installed in a temporary folder.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { connect } from 'paylink-mock/client'

const built = new URL('../../dist/worker/index.js', import.meta.url).pathname

/** How a Worker is bundled for the platform. */
export const workerConditions = {
  conditionNames: ['workerd', 'worker', 'browser', 'import', 'default'],
  mainFields: ['browser', 'module', 'main'],
}

/** The Worker as a user has it. */
const createEntry = (options) => `import { paylinkWorker } from ${JSON.stringify(built)}
const { fetch, Project } = paylinkWorker(${JSON.stringify(options)})
export { Project }
export default { fetch }`

/** The ids of the processes named workerd that this one has started, under Linux. */
const workerds = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      return name === 'workerd' && Number(parent) === process.pid
    } catch {
      // It has ended, or is no process.
      return false
    }
  })

export const baseUrl = 'https://mock.example'

/** Installs workerd. `start` runs the Worker over the same storage each time; `remove` deletes all files. */
export const installWorkerd = async (options = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'workerd-'))
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', folder, 'miniflare@4'])
  writeFileSync(join(folder, 'worker.entry.js'), createEntry(options))
  const bundle = await rolldown({
    input: join(folder, 'worker.entry.js'),
    platform: 'neutral',
    resolve: workerConditions,
  })
  await bundle.write({ file: join(folder, 'worker.mjs'), codeSplitting: false })
  const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare')
  return {
    start: async () => {
      const before = new Set(workerds())
      const worker = new Miniflare({
        modules: [{ type: 'ESModule', path: 'worker.mjs', contents: readFileSync(join(folder, 'worker.mjs'), 'utf8') }],
        compatibilityDate: '2025-01-01',
        durableObjects: { PROJECTS: { className: 'Project', useSQLite: true } },
        durableObjectsPersist: join(folder, 'objects'),
        bindings: { PAYLINK_MOCK_ADMIN_TOKEN: 'secret' },
      })
      await worker.ready
      const pid = workerds().find((one) => !before.has(one))
      const fetch = (url, init) => worker.dispatchFetch(url, init)
      return {
        fetch,
        control: connect(baseUrl, { adminToken: 'secret', fetch }),
        kill: async () => {
          process.kill(Number(pid), 'SIGKILL')
          await worker.dispose().catch(() => {})
        },
        stop: () => worker.dispose(),
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
