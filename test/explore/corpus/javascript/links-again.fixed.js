// Makes sure that an order has a payment link. A failed list ends it.
import { createLink, listLinks, threeTimes } from './client.js'

const found = await threeTimes(() => listLinks('inv_7', 'active,completed,canceled'))
if (found.length === 0) await threeTimes(() => createLink('inv_7', 'link-inv_7'))
