// What an operation allocates: node --max-semi-space-size=256 --expose-gc test/bench/support/allocation.js
// Prints JSON: for each operation the promises and the bytes of our server, and the bytes of the raw one. A young
// generation of that size holds all objects of a measurement, so no collection hides some of them.
import { createHook } from 'node:async_hooks'
import { createMock } from 'paylink-mock'
import { createRawWithDuties } from '../servers/raw.js'
import { idAt } from '../servers/store.js'
import { pickOwnIds } from './servers.js'
import { createListener, send } from './stub-socket.js'
import { createWorkloads } from './workloads.js'

const records = 200
const calls = 200

/** Sends the requests one after the other. Each waits for a turn of the event loop, without a promise. */
const sendAll = (listener, requests) =>
  new Promise((resolve) => {
    const next = (index) =>
      index === requests.length
        ? resolve()
        : send(listener, requests[index], () => void setImmediate(() => next(index + 1)))
    next(0)
  })

const measureBytes = async (listener, requests) => {
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  await sendAll(listener, requests)
  return Math.round((process.memoryUsage().heapUsed - before) / requests.length)
}

const countPromises = async (listener, requests) => {
  let promises = 0
  const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && promises++) }).enable()
  await sendAll(listener, requests)
  hook.disable()
  return Math.round(promises / requests.length)
}

const mock = createMock({ seed: { projects: { acme: { generate: { users: records } } } } })
const ours = { listener: await createListener(mock), workloads: createWorkloads({ ids: pickOwnIds(records) }) }
const ids = Array.from({ length: records }, (_, n) => idAt('usr', n))
const raw = { listener: createRawWithDuties(records), workloads: createWorkloads({ ids }) }

const result = {}
for (const name of ['retrieve a user', 'list ten users', 'create a user']) {
  const createRequests = ({ workloads }) => Array.from({ length: calls }, workloads[name].request)
  for (const handler of [ours, raw]) await sendAll(handler.listener, createRequests(handler))
  result[name] = {
    promises: await countPromises(ours.listener, createRequests(ours)),
    bytes: await measureBytes(ours.listener, createRequests(ours)),
    rawBytes: await measureBytes(raw.listener, createRequests(raw)),
  }
}
await mock.close()
process.stdout.write(JSON.stringify(result))
