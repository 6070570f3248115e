// Makes sure that an invoice has a payment link. After an unreadable response it looks for the link that it may have created.
import { createLink, listLinks } from './client.js'

const ensureLink = async () => {
  const [found] = await listLinks('inv_7', 'active,completed')
  return found ?? (await createLink('inv_7'))
}

const link = await ensureLink().catch((error) => {
  if (!(error instanceof SyntaxError)) throw error
  console.warn('The response was unreadable. Looking for the link.')
  return ensureLink()
})
console.log(link.paymentUrl)
