// Upgrades a user and welcomes it. Metadata is replaced as a whole, so each step reads it first.
import { call } from './client.js'

const path = `/users/${process.argv[2]}`
const addMetadata = async (added) => {
  const { metadata } = await call('GET', path)
  await call('PATCH', path, { metadata: { ...metadata, ...added } })
}
await addMetadata({ plan: 'pro' })
await addMetadata({ welcomed: true })
