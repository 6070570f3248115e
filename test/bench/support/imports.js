// The cost of an import and of a run of vitest, in ms of CPU.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('../../../', import.meta.url).pathname
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env

// Printed last, when everything is done. Threads are counted too.
const report = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write('cpu ' + (user + system) / 1000)
})`

const measureCpu = (args, cwd = root) => {
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
  const [, cpu] = /cpu ([\d.]+)$/.exec(stderr) ?? []
  if (status !== 0 || cpu === undefined) throw new Error(stderr)
  return Number(cpu)
}

/** Measures a process that runs this module. */
export const measureImport = (code) => measureCpu(['--input-type=module', '--eval', `${code}\n${report}`])

/** Measures a run of vitest over `count` files with this text. Its workers are threads, so that one process has all. */
export const measureVitest = (text, count) => {
  mkdirSync(join(root, 'coverage'), { recursive: true })
  const folder = mkdtempSync(join(root, 'coverage/start-'))
  try {
    // An installed copy: vitest would transform the files of the package itself.
    for (const part of ['dist', 'fixtures', 'package.json'])
      cpSync(join(root, part), join(folder, 'node_modules/paylink-mock', part), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    for (let n = 0; n < count; n++) writeFileSync(join(folder, `${n}.test.js`), text)
    const preload = `data:text/javascript,${encodeURIComponent(`import { isMainThread } from 'node:worker_threads'
if (isMainThread) ${report}`)}`
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    return measureCpu(['--import', preload, vitest, 'run', '--root', '.', '--pool', 'threads'], folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
