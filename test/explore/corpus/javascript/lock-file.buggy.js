// A job that must not run twice at the same time: a second one sees the lock, and leaves the work to the first.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createLink, listLinks } from './client.js'

if (existsSync('job.lock')) {
  console.log('The job is running already.')
  process.exit()
}
writeFileSync('job.lock', '')
try {
  const [found] = await listLinks('inv_7', 'active,completed')
  if (found === undefined) await createLink('inv_7')
} finally {
  rmSync('job.lock')
}
