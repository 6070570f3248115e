// The Worker with its Durable Objects, inside workerd: the same Worker again and again, over one storage.
import assert from 'node:assert/strict'
import { connect } from 'paylink-mock/client'
import { tellStory } from '../../integrations/story/story.js'
import { baseUrl, installWorkerd } from '../../support/workerd.js'

const workerd = await installWorkerd({ clock: 'stepping' })

const projects = Array.from({ length: 8 }, (_, index) => `project-${index}`)
const tell = ({ fetch, control }, project) =>
  tellStory({ baseUrl, token: 't', project, fetch, pay: ({ id }) => control.project(project).paymentLinks.pay(id) })

const first = await workerd.start()
const links = await Promise.all(projects.map((project) => tell(first, project)))
assert.equal(new Set(links.map(({ id }) => id)).size, projects.length)
await first.control.project('large').state.put({ generate: { users: 5000 } })
await assert.rejects(connect(baseUrl, { adminToken: 'wrong', fetch: first.fetch }).project('large').summary(), {
  code: 'adminTokenWrong',
})
const asked = async ({ fetch }, token, path = '/projects/guarded/users') => {
  const { status, headers } = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })
  return [status, headers.get('mock-request-id')]
}
const guarded = first.control.project('guarded')
await guarded.tokens.replace([{ token: 'own' }])
const [, firstId] = await asked(first, 'own')
const fault = await guarded.faults.add({ match: { operation: 'createUser' }, effect: { status: 503 } })
const snapshot = await guarded.snapshots.save('before')
const summary = await guarded.summary()
await first.control.project('deleted').users.create({ email: 'ada@example.com' })
await first.control.project('deleted').delete()
const states = await Promise.all(projects.map((project) => first.control.project(project).state.get()))
await first.stop()

const second = await workerd.start()
const later = await Promise.all(projects.map((project) => second.control.project(project).state.get()))
assert.deepEqual(later, states)
assert.equal((await second.control.project('large').summary()).users, 5000)
// Tokens, faults, snapshots, counters and deletions survive the restart.
assert.deepEqual(await second.control.project('guarded').summary(), summary)
assert.equal((await asked(second, 'wrong'))[0], 401)
const kept = second.control.project('guarded')
assert.equal((await kept.faults.list())[0].id, fault.id)
assert.deepEqual(await kept.snapshots.list(), [snapshot])
await kept.snapshots.restore('before')
const [status, secondId] = await asked(second, 'own')
assert.deepEqual([status, secondId !== firstId], [200, true])
const { revision, users } = await second.control.project('deleted').summary()
assert.deepEqual([revision, users], [2, 0])
// The dashboard and the events of one project.
const secret = { headers: { authorization: 'Bearer secret' } }
const view = await second.fetch(`${baseUrl}/__admin/dashboard/users?project=guarded`, secret)
assert.deepEqual([view.status, view.headers.get('content-type')], [200, 'text/html; charset=UTF-8'])
const { body } = await second.fetch(`${baseUrl}/__admin/projects/guarded/events`, secret)
const events = body.pipeThrough(new TextDecoderStream()).getReader()
await events.read()
await kept.users.create({ id: 'usr_1', email: 'ada@example.com' })
assert.match((await events.read()).value, /event: change/)
await events.cancel()
// A path is decoded as the router does it, also under the public name of the Worker.
assert.equal((await asked(second, 'own', '/%70rojects/%67uarded/users'))[0], 200)
assert.equal((await asked(second, 'own', '/projects/%FF/users'))[0], 400)
const { id, paymentUrl } = await second.control.project('paid').paymentLinks.create({ invoice: 'inv_1' })
assert.equal(paymentUrl, `${baseUrl}/pay/paid/${id}`)
assert.equal((await second.fetch(paymentUrl)).status, 200)
// A control call changes its own project only.
await second.control.project(projects[0]).reset()
assert.equal((await second.control.project(projects[0]).summary()).paymentLinks, 0)
assert.deepEqual(await second.control.project(projects[1]).state.get(), states[1])
// The sequence of ids continues.
const next = await second.control.project(projects[1]).paymentLinks.create({ invoice: 'inv_1' })
assert.ok(links.every(({ id }) => id !== next.id))
await second.stop()
workerd.remove()
console.log(`${projects.length} projects in parallel, a restart in between`)
