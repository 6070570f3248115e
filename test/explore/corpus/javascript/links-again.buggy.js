// Makes sure that an order has a payment link. Takes a failed list for an empty one.
import { createLink, listLinks, threeTimes } from './client.js'

const found = await threeTimes(() => listLinks('inv_7', 'active,completed,canceled')).catch(() => [])
if (found.length === 0) await threeTimes(() => createLink('inv_7', 'link-inv_7'))
