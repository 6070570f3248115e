// Upgrades a user and welcomes it. Metadata is replaced as a whole, so each step starts with what the last one returned.
import { call } from './client.js'

const path = `/users/${process.argv[2]}`
let user = await call('GET', path)
const addMetadata = async (added) => {
  user = await call('PATCH', path, { metadata: { ...user.metadata, ...added } })
}
await addMetadata({ plan: 'pro' })
await addMetadata({ welcomed: true })
