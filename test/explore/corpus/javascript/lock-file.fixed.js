// A job that must not run twice at the same time. The lock names its process: that of a dead process does not count.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createLink, listLinks } from './client.js'

const isRunning = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const lock = { flag: 'wx' }
try {
  writeFileSync('job.lock', `${process.pid}`, lock)
} catch {
  if (isRunning(Number(readFileSync('job.lock', 'utf8')))) throw new Error('the job is running already')
  writeFileSync('job.lock', `${process.pid}`)
}
try {
  const [found] = await listLinks('inv_7', 'active,completed')
  if (found === undefined) await createLink('inv_7')
} finally {
  rmSync('job.lock')
}
