import type { Send } from './service.ts'

const users = '/projects/sandbox/users'
const links = '/projects/sandbox/paymentLinks'
const user = { fullName: 'P', email: 'p@example.com', taxNumber: '1' }
const payLink = (invoice: string, payer: object = user) => ({ invoice, type: 'partner', partner: { user: payer } })

/** The calls of a careful integration suite. */
export const carefulProgram = async (send: Send) => {
  const ada = await send('POST', users, { email: 'Ada@Suite.example' })
  const bea = await send('POST', users, {
    email: 'bea@suite.example',
    preferredLocale: 'de-DE',
    metadata: { plan: 'x' },
  })
  const eve = await send('POST', users, { email: 'eve@suite.example' })
  await send('GET', users)
  const page = await send('GET', `${users}?limit=3`)
  const second = await send('GET', `${users}?limit=3&after=${page.moreItemsAfter}`)
  await send('GET', `${users}?limit=2&before=${second.items?.[1]?.id}`)
  await send('GET', `${users}?limit=200`)
  for (const email of ['Ada@Suite.example', 'ADA@SUITE.EXAMPLE', 'suite.ex', null, undefined])
    await send('POST', `${users}/search`, { email })
  await send('PATCH', `${users}/${bea.id}`, { fullName: 'Beatrice', metadata: { extra: '2' } })
  await send('GET', `${users}/${bea.id}`)
  await send('PATCH', `${users}/${bea.id}`, { preferredLocale: null, metadata: { plan: null } })
  await send('PATCH', `${users}/${bea.id}`, { email: 'bea2@suite.example' })
  await send('POST', users, { email: 'Ada@Suite.example' })
  await send('POST', users, {})
  await send('POST', users, '{"email": ')
  await send('POST', users, { email: 'uma@suite.example', nickname: 'Uh' })
  await send('POST', users, { email: 'max@suite.example', metadata: { number: 1 } })
  await send('GET', `${users}?limit=201`)
  await send('GET', `${users}/${ada.id}`, undefined, { accept: 'text/html' })
  await send('GET', users, undefined, { authorization: undefined })
  await send('GET', `${users}/usr_unknown`)
  await send('GET', `${users}?after=usr_unknown`)
  await send('GET', '/projects/other/users', undefined, { authorization: 'Bearer secret-b' })
  await send('GET', '/projects/other/users')
  await send('GET', '/projects/none/users')
  await send('DELETE', `${users}/${eve.id}`)
  await send('GET', `${users}/${eve.id}`)
  await send('GET', `${users}?after=${eve.id}&limit=2`)
  const link = await send('POST', links, payLink('inv_1'))
  await send('POST', links, payLink('inv_1', { email: 'p@example.com' }))
  await send('POST', links, payLink('inv_unknown'))
  await send('POST', links, payLink('bill-7'))
  await send('GET', `${links}/${link.id}`)
  await send('GET', links)
  const first = await send('GET', `${links}?limit=2`)
  await send('GET', `${links}?limit=2&after=${first.moreItemsAfter}`)
  await send('GET', `${links}?invoice=inv_1`)
  await send('POST', `${links}/${link.id}/cancel`)
  await send('POST', `${links}/${link.id}/cancel`)
  await send('GET', `${links}/${link.id}`)
  const completed = await send('GET', `${links}?status=completed&limit=1`)
  await send('POST', `${links}/${completed.items?.[0]?.id}/cancel`)
  const key = { 'idempotency-key': 'key-1' }
  await send('POST', links, payLink('inv_1'), key)
  await send('POST', links, payLink('inv_1'), key)
  await send('DELETE', `${users}/${ada.id}`)
}

/** Ten jobs at the same time. */
export const parallelProgram = (send: Send) =>
  Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const { id } = await send('POST', users, { email: `p${index}@suite.example` })
      await send('GET', `${users}?limit=5`)
      await send('PATCH', `${users}/${id}`, { fullName: `P${index}` })
      await send('POST', `${users}/search`, { email: `p${index}@suite.example` })
      const link = await send('POST', links, payLink('inv_1'))
      await Promise.all([
        send('POST', `${links}/${link.id}/cancel`),
        send('GET', `${links}/${link.id}`),
        send('GET', links),
      ])
      await send('DELETE', `${users}/${id}`)
      await send('GET', `${users}/${id}`)
    }),
  )
