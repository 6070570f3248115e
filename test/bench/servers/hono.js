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

const limit = z
  .string()
  .regex(/^\d{1,3}$/)
  .transform(Number)
  .default(10)
const User = z.object({
  email: z.string().regex(/^[^\s@]+@[^\s@]+$/),
  fullName: z.string().nullish(),
  birthday: z.string().nullish(),
  preferredLocale: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
const Link = z.object({ invoice: z.string(), type: z.literal('partner'), partner: z.object({}) })

const found = (c, record) => (record ? c.json(record) : c.json({ object: 'error', message: 'No such record.' }, 404))

app.get('/projects/:project/users', zValidator('query', z.object({ limit })), (c) =>
  c.json(store.page(c.req.valid('query').limit)),
)
app.get('/projects/:project/users/:user', (c) => found(c, store.get(c.req.param('user'))))
app.post('/projects/:project/users', zValidator('json', User), (c) => c.json(store.addUser(c.req.valid('json')), 201))
app.post('/projects/:project/paymentLinks', zValidator('json', Link), (c) =>
  c.json(store.addLink(c.req.valid('json')), 201),
)

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.stdout.write(`ready on ${port}\n`))
