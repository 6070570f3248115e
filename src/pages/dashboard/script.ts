import { readCall, createTransfer } from './client/actions.ts'
import { createApi, createSubscriber } from './client/api.ts'
import { createConfirm, createMessages } from './client/messages.ts'
import { createTopBar, createTicker, find, markTab, swapInto } from './client/page.ts'
import { start } from './client/start.ts'

const messages = { createConfirm, createMessages }
const page = { createTopBar, createTicker, find, markTab, swapInto }
const functions = { readCall, createApi, createSubscriber, createTransfer, ...messages, ...page }

/**
 * The script of the dashboard, from the source text of the functions in `client/`. It needs no bundler and is the same from
 * sources, from `dist` and in a worker. The functions can only use their arguments and the browser: imports do not exist there.
 */
export const script = `'use strict'
;(${String(start)})({
${Object.entries(functions)
  .map(([name, value]) => `  ${name}: ${String(value)},\n`)
  .join('')}})
`
