import { createInconclusiveError, type Exchange, getIds, InconclusiveError, isOk } from './exchange.ts'
import { createObserved, type Probe, type ProbeContext } from './probe.ts'

/** How long a list may lag behind, and the pause before it is read again, in milliseconds. */
const maxLag = 10_000
const pollInterval = 500

/** The probe of how soon a list shows a new record. It runs before other probes use lists, which then wait as long. */
export const listFreshnessProbe: Probe<'immediate' | 'delayed'> = {
  requests: [
    'POST /users and at once GET /users?limit=200, and that list again, three times',
    `GET /users?limit=200 every ${pollInterval} ms, for up to ${maxLag / 1000} s, while the new user is missing`,
  ],
  users: 3,
  run: async (context) => {
    const exchanges: Exchange[] = []
    for (const name of ['listed1', 'listed2', 'listed3']) {
      const { id, atOnce } = await createAndList(context, name)
      const { listed, lag } = includesId(atOnce, id)
        ? { listed: atOnce, lag: 0 }
        : await pollUntilListed(context, id, atOnce)
      const again = await list(context)
      if (!includesId(again, id))
        throw new InconclusiveError('a list shows a new user, and the next one does not', listed, again)
      if (lag > 0) {
        context.waitBeforeLists(lag + pollInterval)
        return createObserved('delayed', atOnce, listed)
      }
      exchanges.push(atOnce)
    }
    return createObserved('immediate', ...exchanges)
  },
}

const list = (context: ProbeContext): Promise<Exchange> =>
  context.send({ method: 'GET', path: '/users?limit=200', returns: 'users' })

/** Creates a user, and lists the users before any other request. */
const createAndList = async (context: ProbeContext, name: string) => {
  let atOnce: Exchange | undefined
  const { exchange, record } = await context.createUser(context.ids.createEmail(name), {}, undefined, async () => {
    atOnce = await list(context)
  })
  if (record === undefined || atOnce === undefined) throw createInconclusiveError('needs another user', exchange)
  return { id: record.id, atOnce }
}

const includesId = (exchange: Exchange, id: string): boolean => {
  const ids = getIds(exchange)
  if (!isOk(exchange) || ids === undefined) throw createInconclusiveError('the list has no page', exchange)
  return ids.includes(id)
}

/** Returns the first list that contains the user, and how long that took. */
const pollUntilListed = async (context: ProbeContext, id: string, atOnce: Exchange) => {
  for (let lag = pollInterval; lag <= maxLag; lag += pollInterval) {
    await context.wait(pollInterval)
    const listed = await list(context)
    if (includesId(listed, id)) return { listed, lag }
  }
  throw new InconclusiveError(`the list does not show a user that was created ${maxLag / 1000} s ago`, atOnce)
}
