import { createTransfer, requestOf } from './client/actions.ts'
import { createApi, createSubscribe } from './client/api.ts'
import { createBar, createTicker, markTab } from './client/header.ts'
import { createConfirm, createMessages } from './client/messages.ts'
import { start } from './client/start.ts'
import { swapInto } from './client/swap.ts'

const functions = {
  createApi,
  createBar,
  createConfirm,
  createMessages,
  createSubscribe,
  createTicker,
  createTransfer,
  markTab,
  requestOf,
  swapInto,
}

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
