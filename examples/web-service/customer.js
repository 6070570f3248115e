// customer.js
import { setTimeout as wait } from 'node:timers/promises'

const pay = () => fetch(`${process.env.SERVICE_URL}/orders/inv_7/pay`, { method: 'POST' })
for (let attempt = 1; attempt <= 50; attempt++) {
  const response = await pay().catch(() => undefined)
  if (response?.ok) process.exit(0)
  await wait(100)
}
process.exit(1)
