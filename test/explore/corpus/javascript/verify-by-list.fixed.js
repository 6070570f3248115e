// Creates a payment link, and waits until it is listed.
import { setTimeout as sleep } from 'node:timers/promises'
import { createLink, listLinks } from './client.js'

const [found] = await listLinks('inv_7', 'active,completed')
if (found === undefined) {
  const { id } = await createLink('inv_7')
  const isListed = async () => (await listLinks('inv_7', 'active,completed')).some((link) => link.id === id)
  for (let tries = 1; !(await isListed()); tries++) {
    if (tries === 5) throw new Error(`${id} is not listed`)
    await sleep(10)
  }
}
console.log('inv_7 has a payment link')
