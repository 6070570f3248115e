import timers from 'node:timers/promises'
import { syncBuiltinESMExports } from 'node:module'

// What waits beside this module goes on at once.
timers.setTimeout = async () => {}
syncBuiltinESMExports()
