// A shop with Express. Argument: the folder where it is installed.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pay } from './pay.js'

const express = createRequire(join(process.argv[2], 'package.json'))('express')
const app = express()
app.post('/orders/:order/pay', async (request, response) => response.send(await pay(request.params.order)))
// Express knows by the four parameters that it handles errors.
app.use((error, request, response, next) =>
  response.headersSent ? next(error) : response.status(503).send(error.message),
)
app.listen(process.env.PORT, '127.0.0.1')
