import { bar } from './bar.ts'
import { behaviors } from './behaviors.ts'
import { clock } from './clock.ts'
import { faults } from './faults.ts'
import { findings } from './findings.ts'
import { journal } from './journal.ts'
import { paymentLink } from './payment-link.ts'
import { paymentLinks } from './payment-links.ts'
import { projects } from './projects.ts'
import { request } from './request.ts'
import { snapshots } from './snapshots.ts'
import { user } from './user.ts'
import { users } from './users.ts'
import type { View } from './view.ts'

/** The parts of the dashboard by the names under which they are fetched. */
export const views: ReadonlyMap<string, View> = new Map([
  ['bar', bar],
  ['projects', projects],
  ['users', users],
  ['user', user],
  ['payment-links', paymentLinks],
  ['payment-link', paymentLink],
  ['clock', clock],
  ['snapshots', snapshots],
  ['faults', faults],
  ['behaviors', behaviors],
  ['journal', journal],
  ['request', request],
  ['findings', findings],
])
