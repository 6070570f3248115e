// Creates a payment link, and verifies that it exists: if it is not listed, it creates it again.
import { createLink, listLinks } from './client.js'

const [found] = await listLinks('inv_7', 'active,completed')
if (found === undefined) {
  await createLink('inv_7')
  const links = await listLinks('inv_7', 'active,completed')
  if (links.length === 0) await createLink('inv_7')
}
console.log('inv_7 has a payment link')
