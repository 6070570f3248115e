// A customer of a shop, who sends the request again until it succeeds.
import { setTimeout as wait } from 'node:timers/promises'

for (let attempt = 1; attempt <= 50; attempt++) {
  const response = await fetch(`${process.env.SERVICE_URL}/orders/inv_7/pay`, { method: 'POST' }).catch(() => undefined)
  if (response?.ok) process.exit()
  await wait(20)
}
process.exit(1)
