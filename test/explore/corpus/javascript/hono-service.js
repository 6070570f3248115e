// A shop with Hono.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { pay } from './pay.js'

const app = new Hono()
app.post('/orders/:order/pay', async (context) => context.text(await pay(context.req.param('order'))))
app.onError((error, context) => context.text(error.message, 503))
serve({ fetch: app.fetch, port: Number(process.env.PORT) })
