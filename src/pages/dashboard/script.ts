import * as actions from './client/actions.ts'
import * as api from './client/api.ts'
import * as messages from './client/messages.ts'
import * as page from './client/page.ts'
import { start } from './client/start.ts'

/**
 * The script of the dashboard, from the source text of the functions in `client/`. It needs no bundler and is the same from
 * sources, from `dist` and in a worker. The functions can only use their arguments and the browser: imports do not exist there.
 */
export const script = `'use strict'
;(${String(start)})({
${Object.entries({ ...actions, ...api, ...messages, ...page })
  .map(([name, value]) => `  ${name}: ${String(value)},\n`)
  .join('')}})
`
