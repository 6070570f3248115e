/** Clients, each with a planted bug and a corrected version. */
import { changing } from './changing.js'
import { claiming } from './claiming.js'
import { creating } from './creating.js'
import { racing } from './racing.js'
import { recovering } from './recovering.js'

/** Clients whose bug needs a fault: their versions are flows. */
export const faultClients = [...creating, ...changing]

/** Clients whose bug needs an order: their versions are actors. */
export const orderClients = racing

/** Clients whose bug needs an order and a lost response: their versions are actors. */
export const recoveringClients = [...recovering, ...claiming]
