import { spawn } from 'node:child_process'
import { once } from 'node:events'

const preload = new URL('cpu.cjs', import.meta.url).pathname

/** A Node process that can be asked for its CPU time. `NODE_EXTRA_CA_CERTS` would make each start read a bundle. */
export const startProcess = (args, { env = {}, flags = [] } = {}) => {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...rest } = process.env
  const child = spawn(process.execPath, [...flags, '--require', preload, ...args], {
    env: { ...rest, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  return {
    /** µs of CPU since it was started, and bytes that are resident. */
    usage: async () => {
      child.send('usage')
      const [usage] = await once(child, 'message')
      return usage
    },
    /** Waits for a line on stdout that matches the pattern. Returns the match. */
    line: (pattern) =>
      new Promise((resolve, reject) => {
        let text = ''
        child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}.\n${text}`)))
        child.stdout.on('data', (chunk) => {
          text += chunk
          const found = pattern.exec(text)
          if (found) resolve(found)
        })
      }),
    stop: async () => {
      if (child.exitCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
