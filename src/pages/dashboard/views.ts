import { behaviors } from './behaviors.ts'
import { clock } from './clock.ts'
import { diagnostics } from './diagnostics.ts'
import { faults } from './faults.ts'
import { journal, recordedRequest } from './journal.ts'
import type { View } from './page-request.ts'
import { paymentLink, paymentLinks } from './payment-links.ts'
import { projects } from './projects.ts'
import { sandboxes } from './sandboxes.ts'
import { bar } from './shell.ts'
import { snapshots } from './snapshots.ts'
import { user, users } from './users.ts'

const lists = { projects, sandboxes, users, 'payment-links': paymentLinks, snapshots, faults, journal, diagnostics }
const others = { user, 'payment-link': paymentLink, request: recordedRequest, clock, behaviors, bar }

/** The views by name, as in `/__admin/dashboard/{view}`. */
export const views: ReadonlyMap<string, View> = new Map(Object.entries({ ...lists, ...others }))
