import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLink, invoicesBefore, statusOf } from './client.ts'

interface Link {
  readonly id: string
  readonly invoice: string
  status: string
  completedAt: string | null
}

let links: Link[] = []
let isResponseLost = false
const base = 'https://api.example.com/v1/projects/acme/paymentLinks'
const server = setupServer(
  http.post(base, async ({ request }) => {
    const { invoice } = (await request.json()) as { invoice: string }
    const link = { id: `pml_${links.length + 1}`, invoice, status: 'active', completedAt: null }
    links.unshift(link)
    if (!isResponseLost) return HttpResponse.json(link, { status: 201 })
    isResponseLost = false
    return HttpResponse.error()
  }),
  http.get(base, ({ request }) => {
    const query = new URL(request.url).searchParams
    const limit = Number(query.get('limit') ?? 10)
    const statuses = query.get('status')?.split(',')
    const before = query.get('before')
    const end = before === null ? links.length : links.findIndex(({ id }) => id === before)
    const matching = links
      .slice(0, end)
      .filter(({ invoice }) => invoice === (query.get('invoice') ?? invoice))
      .filter(({ status }) => statuses?.includes(status) ?? true)
    const items = before === null ? matching.slice(0, limit) : matching.slice(-limit)
    return HttpResponse.json({
      object: 'list',
      items,
      moreItemsAfter: before !== null || matching.length > items.length ? items.at(-1)?.id : null,
      moreItemsBefore: before !== null && matching.length > items.length ? items[0]?.id : null,
    })
  }),
  http.get(`${base}/:id`, ({ params }) => {
    const link = links.find(({ id }) => id === params.id)
    return link ? HttpResponse.json(link) : HttpResponse.json({ object: 'error' }, { status: 404 })
  }),
  http.post(`${base}/:id/cancel`, ({ params }) => {
    const link = links.find(({ id, status }) => id === params.id && status === 'active')
    if (link) link.status = 'canceled'
    return HttpResponse.json(link ?? { object: 'error' }, { status: link ? 200 : 409 })
  }),
)
beforeAll(() => server.listen())
afterAll(() => server.close())
afterEach(() => {
  links = []
})

test('a paid link is completed', async () => {
  const { id } = await createLink('inv_1')
  Object.assign(links[0]!, { status: 'completed', completedAt: new Date().toISOString() })
  expect(await statusOf(id)).toBe('completed')
})

test('the page before a link has its nearest neighbors', async () => {
  const { id } = await createLink('inv_1')
  for (const invoice of ['inv_2', 'inv_3', 'inv_4']) await createLink(invoice)
  expect(await invoicesBefore(id, 2)).toEqual(['inv_3', 'inv_2'])
})

test('a lost response leaves one active link', async () => {
  isResponseLost = true
  const { id } = await createLink('inv_1')
  expect(links.filter(({ status }) => status === 'active')).toMatchObject([{ id }])
})
