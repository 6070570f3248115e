// Bare Hono on node-server, stateful, with the validators that one would use, and nothing else of ours.
import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import * as z from 'zod'
import { createStore } from './store.js'

const store = createStore(Number(process.env.RECORDS ?? 1000))
const app = new Hono()
app.use('*', bearerAuth({ verifyToken: () => true }))

const Query = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .default(10),
  status: z.string().optional(),
})
const User = z.object({
  email: z.string().regex(/^[^\s@]+@[^\s@]+$/),
  fullName: z.string().nullish(),
  birthday: z.string().nullish(),
  preferredLocale: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
const Link = z.object({ invoice: z.string(), type: z.literal('partner'), partner: z.object({}) })

const found = (c, record) => (record ? c.json(record) : c.json({ object: 'error', message: 'No such record.' }, 404))
const list = (records) => (c) => {
  const { limit, status } = c.req.valid('query')
  return c.json(store.page(records, limit, status && ((record) => record.status === status)))
}

app.get('/projects/:project/users', zValidator('query', Query), list(store.users))
app.get('/projects/:project/users/:user', (c) => found(c, store.get(c.req.param('user'))))
app.post('/projects/:project/users', zValidator('json', User), (c) => c.json(store.addUser(c.req.valid('json')), 201))
app.post('/projects/:project/users/search', zValidator('json', z.object({ email: z.string() })), (c) =>
  c.json(store.page(store.withEmail(c.req.valid('json').email), 10)),
)
app.get('/projects/:project/paymentLinks', zValidator('query', Query), list(store.links))
app.post('/projects/:project/paymentLinks', zValidator('json', Link), (c) =>
  c.json(store.addLink(c.req.valid('json')), 201),
)
app.post('/__admin/projects/:project/paymentLinks/:paymentLink/pay', (c) => {
  const link = store.get(c.req.param('paymentLink'))
  if (link?.status !== 'active') return c.json({ object: 'error', message: 'The link is not active.' }, 409)
  link.status = 'completed'
  link.completedAt = new Date().toISOString()
  return c.json(link)
})

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.stdout.write(`ready on ${port}\n`))
