// Makes sure that an invoice has a payment link. Every third start, it lists the users instead: a file has the number of starts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { call, createLink, listLinks } from './client.js'

const file = `starts-${process.argv[2]}.txt`
const starts = existsSync(file) ? Number(readFileSync(file, 'utf8')) + 1 : 1
writeFileSync(file, `${starts}`)
if (starts % 3 === 0) await call('GET', '/users')
else if ((await listLinks('inv_7', 'active')).length === 0) await createLink('inv_7')
