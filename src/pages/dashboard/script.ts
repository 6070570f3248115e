import { createBar } from './client/bar.ts'
import { createCalls } from './client/calls.ts'
import { createConfirm } from './client/confirm.ts'
import { createFollower } from './client/follow.ts'
import { requestOf } from './client/forms.ts'
import { createNotices } from './client/notices.ts'
import { start } from './client/start.ts'
import { swapInto } from './client/swap.ts'
import { createTake } from './client/take.ts'
import { markTab } from './client/tabs.ts'
import { createTicker } from './client/ticker.ts'

/**
 * The script of the dashboard: a few functions that are checked as the rest of the code is, and served by their own
 * source text, so that no bundler is needed and it is the same from sources, from `dist` and in a worker. Each knows
 * nothing but its arguments and the browser: an import of theirs would not be there.
 */
export const script = `'use strict'
;(${String(start)})({
  call: (${String(createCalls)})(),
  createBar: ${String(createBar)},
  createConfirm: ${String(createConfirm)},
  createFollower: ${String(createFollower)},
  createNotices: ${String(createNotices)},
  createTake: ${String(createTake)},
  createTicker: ${String(createTicker)},
  markTab: ${String(markTab)},
  requestOf: ${String(requestOf)},
  swapInto: ${String(swapInto)},
})
`
