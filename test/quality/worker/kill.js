// Proves: Storage of a Worker.
// Kills workerd while it writes, and checks what is left: node test/quality worker [times]. Needs Linux.
import assert from 'node:assert/strict'
import { setTimeout as after } from 'node:timers/promises'
import { baseUrl, installWorkerd } from '../../support/workerd.js'

const times = Number(process.argv[2] ?? 5)
const workerd = await installWorkerd()
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

/** Runs work until workerd is killed. Calls in flight fail then. */
const killDuring = async (work, milliseconds) => {
  const worker = await workerd.start()
  let isKilled = false
  const kill = async () => {
    await after(milliseconds)
    isKilled = true
    await worker.kill()
  }
  const end = kill()
  const running = work(worker, () => isKilled).catch((error) => {
    if (!isKilled) throw error
  })
  await Promise.all([end, Promise.race([running, end])])
}

/** Calls back with a worker that runs over the same storage. */
const inspect = async (read) => {
  const worker = await workerd.start()
  await read(worker.control)
  await worker.stop()
}

const acknowledged = []
for (let round = 0; round < times; round++) {
  const before = acknowledged.length
  const create = async ({ fetch }, isKilled) => {
    while (!isKilled()) {
      const body = JSON.stringify({ email: 'ada@example.com' })
      const response = await fetch(`${baseUrl}/projects/acme/users`, { method: 'POST', headers, body })
      if (response.status === 201) acknowledged.push((await response.json()).id)
    }
  }
  await killDuring(
    (worker, isKilled) => Promise.all(Array.from({ length: 8 }, () => create(worker, isKilled))),
    1500 + round * 100,
  )
  assert.ok(acknowledged.length > before, 'No create was acknowledged before the kill.')
  await inspect(async (control) => {
    const acme = control.project('acme')
    const { users } = await acme.state.get()
    const stored = new Set(users.map(({ id }) => id))
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    )
    const { revision } = await acme.summary()
    assert.ok(revision >= acknowledged.length, `${revision} changes for ${acknowledged.length} creates`)
  })
}
console.log(`${times} kills under load: ${acknowledged.length} acknowledged creates, all stored`)

const sizes = []
for (let round = 0; round < times; round++) {
  await inspect((control) => control.project('large').state.put({ generate: { users: 10 } }))
  const load = ({ control }) => control.project('large').state.put({ generate: { users: 30_000 } })
  await killDuring(load, 100 + round * 150)
  await inspect(async (control) => {
    const { users } = await control.project('large').state.get()
    sizes.push(users.length)
  })
}
assert.deepEqual(
  sizes.filter((size) => size !== 10 && size !== 30_000),
  [],
)
console.log(`${times} kills during a load of 30,000 records, which left ${sizes.join(', ')} records`)
workerd.remove()
