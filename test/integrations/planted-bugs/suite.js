import { deepEqual, equal, rejects } from 'node:assert/strict'

/** A suite as many are: a test for each thing that the client can do. */
export const suite = {
  'creates a user': async ({ client, project }) => {
    const { id } = await client.createUser('ada@example.com')
    equal((await project.users.get(id)).email, 'ada@example.com')
  },
  'finds a user': async ({ client, project }) => {
    const { id } = await project.users.create({ email: 'ada@example.com' })
    equal((await client.findUser('ada@example.com'))?.id, id)
    equal((await client.getUser(id))?.email, 'ada@example.com')
  },
  'changes a user': async ({ client, project }) => {
    const { id } = await project.users.create({ email: 'ada@example.com' })
    deepEqual((await client.updateUser(id, { fullName: 'Ada' })).user.fullName, 'Ada')
  },
  'deletes a user': async ({ client, project }) => {
    const { id } = await project.users.create({ email: 'ada@example.com' })
    equal(await client.deleteUser(id), true)
    equal((await project.summary()).users, 0)
  },
  'lists users': async ({ client, project }) => {
    for (const name of ['ada', 'grace']) await project.users.create({ email: `${name}@example.com` })
    deepEqual(
      (await client.listUsers()).map(({ email }) => email),
      ['grace@example.com', 'ada@example.com'],
    )
  },
  'creates a link': async ({ client, project }) => {
    const { id } = await client.createLink('inv_1')
    equal((await project.paymentLinks.get(id)).invoice, 'inv_1')
  },
  'waits for a payment': async ({ client, project }) => {
    const { id } = await project.paymentLinks.create({ invoice: 'inv_1' })
    await project.paymentLinks.pay(id, { when: { reads: 2 } })
    equal(await client.waitForPayment(id), 'paid')
  },
  'cancels a link': async ({ client, project }) => {
    const { id } = await project.paymentLinks.create({ invoice: 'inv_1' })
    equal((await client.cancelLink(id)).status, 'canceled')
  },
}

const failsWith = (code) => (call) => rejects(call, { code })
const hasLength = (count) => async (call) => equal((await call).length, count)
const isShorter = async (call, others) => deepEqual(await call, others)

/**
 * A test for each situation that the suite above never shows, by name. The pasted line comes before it. `id` is that of the
 * record of the line.
 */
export const added = {
  'createUser:422 invalidBody': ({ client }) => failsWith('invalidBody')(client.createUser('ada@example.com')),
  'createUser:409 emailTaken': async ({ client, project }) => {
    const { id } = await project.users.create({ email: 'ada@example.com' })
    equal((await client.createUser('ada@example.com')).id, id)
  },
  'listUsers:200 empty page': ({ client }) => hasLength(0)(client.listUsers()),
  'listUsers:200 second page': ({ client }) => hasLength(11)(client.listUsers()),
  'listUsers:200 page before': async ({ client }) => {
    const users = await client.listUsers()
    await isShorter(client.usersBefore(users[10].id), users.slice(0, 10))
  },
  'listUsers:400 invalidQuery': ({ client }) => failsWith('invalidQuery')(client.listUsers()),
  'listUsers:400 cursorNotFound': ({ client }) => hasLength(0)(client.listUsers()),
  'listUsers:400 cursorDeleted': ({ client }) => hasLength(0)(client.listUsers()),
  'searchUsers:200 empty page': async ({ client }) => equal(await client.findUser('ada@example.com'), undefined),
  'searchUsers:200 second page': ({ client }) => hasLength(11)(client.searchUsers({})),
  'searchUsers:200 page before': async ({ client }) => {
    const users = await client.searchUsers({})
    await isShorter(client.searchBefore({}, users[10].id), users.slice(0, 10))
  },
  'searchUsers:400 invalidQuery': ({ client }) => failsWith('invalidQuery')(client.findUser('ada@example.com')),
  'searchUsers:400 cursorNotFound': ({ client }) => hasLength(0)(client.searchUsers({})),
  'searchUsers:400 cursorDeleted': ({ client }) => hasLength(0)(client.searchUsers({})),
  'searchUsers:422 invalidBody': ({ client }) => failsWith('invalidBody')(client.findUser('ada@example.com')),
  'retrieveUser:404 userNotFound': async ({ client }) => equal(await client.getUser('usr_1'), undefined),
  'updateUser:404 userNotFound': ({ client }) => failsWith('userNotFound')(client.updateUser('usr_1', {})),
  'updateUser:422 invalidBody': async ({ client }) =>
    deepEqual(await client.updateUser('usr_1', {}), { ok: false, reason: 'invalidBody' }),
  'updateUser:409 emailTaken': async ({ client }) =>
    deepEqual(await client.updateUser('usr_1', {}), { ok: false, reason: 'emailTaken' }),
  'deleteUser:404 userNotFound': async ({ client }) => equal(await client.deleteUser('usr_1'), false),
  'createPaymentLink:422 invalidBody': ({ client }) => failsWith('invalidBody')(client.createLink('inv_1')),
  'createPaymentLink:422 invoiceNotFound': async ({ client }) => equal(await client.createLink('inv_1'), null),
  'listPaymentLinks:200': ({ client }) => hasLength(0)(client.listLinks()),
  'listPaymentLinks:200 empty page': ({ client }) => hasLength(0)(client.listLinks()),
  'listPaymentLinks:200 second page': ({ client }) => hasLength(11)(client.listLinks()),
  'listPaymentLinks:200 page before': async ({ client }) => {
    const links = await client.listLinks()
    await isShorter(client.linksBefore(links[10].id), links.slice(0, 10))
  },
  'listPaymentLinks:400 invalidQuery': ({ client }) => failsWith('invalidQuery')(client.listLinks()),
  'listPaymentLinks:400 cursorNotFound': ({ client }) => hasLength(0)(client.listLinks()),
  'listPaymentLinks:400 cursorDeleted': ({ client }) => hasLength(0)(client.listLinks()),
  'retrievePaymentLink:200 canceled': async ({ client, id }) => equal(await client.waitForPayment(id), 'canceled'),
  'retrievePaymentLink:404 paymentLinkNotFound': async ({ client }) => equal(await client.getLink('pml_1'), undefined),
  'cancelPaymentLink:404 paymentLinkNotFound': async ({ client }) => equal(await client.cancelLink('pml_1'), undefined),
  'cancelPaymentLink:409 paymentLinkNotActive': async ({ client, project }) => {
    const { id } = await project.paymentLinks.create({ invoice: 'inv_1', status: 'completed' })
    equal((await client.cancelLink(id)).status, 'completed')
  },
  'any operation:401': ({ client }) => failsWith('injectedFault')(client.listUsers()),
  'any operation:403': ({ client }) => failsWith('injectedFault')(client.listUsers()),
  'any operation:429 with Retry-After': async ({ client, slept }) => {
    await client.listUsers()
    deepEqual(slept, [1000])
  },
  'any operation:5xx': ({ client }) => hasLength(0)(client.listUsers()),
  'any operation:lost response after a change': async ({ client, project }) => {
    const { id } = await client.createLink('inv_1')
    deepEqual(
      (await project.paymentLinks.list()).items.map((link) => link.id),
      [id],
    )
  },
  'any operation:no response': async ({ client, project }) => {
    const { id } = await client.createLink('inv_1')
    deepEqual(
      (await project.paymentLinks.list()).items.map((link) => link.id),
      [id],
    )
  },
  'any operation:broken JSON': ({ client }) => hasLength(0)(client.listUsers()),
  'any operation:late response': async ({ client, slept }) => {
    await client.listUsers()
    // The first call was given up.
    equal(slept.length, 1)
  },
  'any operation:stale read': async ({ client, project }) => {
    const { id } = await project.users.create({ email: 'ada@example.com' })
    const { user } = await client.updateUser(id, { fullName: 'Ada' })
    equal(user.fullName, 'Ada')
    await client.getUser(id)
  },
  'any operation:duplicate delivery': async ({ client, project }) => {
    const { id } = await project.paymentLinks.create({ invoice: 'inv_1' })
    equal((await client.cancelLink(id)).status, 'canceled')
  },
}
