import { type Exchange, exchangeText, fieldsOf, idsOf, isOk, isRefusal } from './exchange.ts'
import type { Probes } from './probe.ts'
import type { Scene } from './scene.ts'
import { CouldNotTell, observed, unknown, untold, type Verdict } from './verdict.ts'

/** The probes of spec §4.1, in the order in which they are asked: the last one changes the email. */
export const userProbes: Probes<
  | 'searchMatch'
  | 'searchWithoutEmail'
  | 'duplicateEmail'
  | 'goneCursor'
  | 'emailVerifiedOnCreate'
  | 'emailVerifiedOnChange'
> = {
  searchMatch: {
    uses: ['user'],
    requests: ['POST /users/search for the email of the user, for it in capitals, and for a part of it'],
    ask: (scene) => askSearchMatch(scene),
  },
  searchWithoutEmail: {
    uses: ['user'],
    requests: ['POST /users/search with a null email, and without one'],
    ask: (scene) => askSearchWithoutEmail(scene),
  },
  duplicateEmail: {
    uses: ['user'],
    requests: ['POST /users with the email of the user'],
    users: 1,
    ask: (scene) => askDuplicateEmail(scene),
  },
  goneCursor: {
    uses: ['user'],
    requests: ['POST /users, twice', 'DELETE /users/{user} of the first of them', 'GET /users after it'],
    users: 2,
    ask: (scene) => askGoneCursor(scene),
  },
  emailVerifiedOnCreate: { uses: ['user'], requests: [], ask: (scene) => askEmailVerifiedOnCreate(scene) },
  emailVerifiedOnChange: {
    uses: ['user'],
    requests: ['PATCH /users/{user} with another email'],
    ask: (scene) => askEmailVerifiedOnChange(scene),
  },
}

const search = (scene: Scene, body: object): Promise<Exchange> =>
  scene.send({ method: 'POST', path: '/users/search', body, answers: 'users' })

const askSearchMatch = async (scene: Scene): Promise<Verdict<'ignoreCase' | 'exact' | 'contains'>> => {
  const { id } = await scene.user()
  const email = scene.marks.email(1)
  const whole = await search(scene, { email })
  const capitals = await search(scene, { email: email.toUpperCase() })
  // From the middle: a search that takes beginnings only does not find it.
  const part = await search(scene, { email: email.slice(8, -4) })
  const seen = [whole, capitals, part]
  const [byWhole, byCapitals, byPart] = seen.map((exchange) => finds(exchange, id))
  if (!byWhole) return untold('the search does not find a user that was just made', ...seen)
  if (!byPart) return observed(byCapitals ? 'ignoreCase' : 'exact', ...seen)
  return byCapitals ? observed('contains', ...seen) : unknown('a part is found, and capitals are not', ...seen)
}

/** Whether a search finds the user. One that is refused finds nothing: a service may take whole addresses only. */
const finds = (exchange: Exchange, id: string): boolean => {
  if (isRefusal(exchange)) return false
  const ids = idsOf(exchange)
  if (!isOk(exchange) || ids === undefined)
    throw new CouldNotTell(`no result of the search: ${exchangeText(exchange)}`, exchange)
  return ids.includes(id)
}

const askSearchWithoutEmail = async (scene: Scene): Promise<Verdict<'all' | 'none'>> => {
  // So that there is somebody to find.
  await scene.user()
  const seen = [await search(scene, { email: null }), await search(scene, {})]
  const counts = seen.map((exchange) => (isOk(exchange) ? idsOf(exchange)?.length : undefined))
  if (counts.every((count) => count !== undefined && count > 0)) return observed('all', ...seen)
  if (counts.every((count) => count === 0)) return observed('none', ...seen)
  const [byNull, byNothing] = seen.map(({ status }, index) => `${status} with ${counts[index] ?? 'no'} users`)
  return unknown(`a null email answers ${byNull}, and none at all ${byNothing}`, ...seen)
}

const askDuplicateEmail = async (scene: Scene): Promise<Verdict<'allow' | 'conflict'>> => {
  const { created } = await scene.user()
  const { exchange, id } = await scene.createUser(scene.marks.email(1))
  if (id !== undefined) return observed('allow', created, exchange)
  if (exchange.status === 409) return observed('conflict', created, exchange)
  return unknown(`a second user with the same email answers ${exchange.status}`, created, exchange)
}

const askGoneCursor = async (scene: Scene): Promise<Verdict<'reject' | 'resume' | 'empty'>> => {
  const older = await scene.user()
  const gone = await madeUser(scene, 2)
  const newer = await madeUser(scene, 3)
  const path = `/users/${encodeURIComponent(gone)}`
  const deleted = await scene.send({ method: 'DELETE', path, answers: 'user' })
  if (!isOk(deleted)) return untold(`the user could not be deleted: ${exchangeText(deleted)}`, deleted)
  scene.ledger.undone(gone)
  const after = `/users?after=${encodeURIComponent(gone)}&limit=10`
  const listed = await scene.send({ method: 'GET', path: after, answers: 'users' })
  const ids = idsOf(listed)
  if (listed.status === 400) return observed('reject', deleted, listed)
  if (!isOk(listed) || ids === undefined)
    return unknown(`a cursor whose row was deleted answers ${listed.status}`, deleted, listed)
  if (ids.includes(newer)) return unknown('a cursor whose row was deleted starts the list anew', deleted, listed)
  if (ids.includes(older.id)) return observed('resume', deleted, listed)
  if (ids.length === 0) return observed('empty', deleted, listed)
  return untold('the rows of others are in the way: neither neighbour is on the page', deleted, listed)
}

const madeUser = async (scene: Scene, n: number): Promise<string> => {
  const { exchange, id } = await scene.createUser(scene.marks.email(n))
  if (id === undefined) throw new CouldNotTell(`needs another user: ${exchangeText(exchange)}`, exchange)
  return id
}

const askEmailVerifiedOnCreate = async (scene: Scene): Promise<Verdict<boolean>> => {
  const { created } = await scene.user()
  const { emailVerified } = fieldsOf(created)
  if (typeof emailVerified === 'boolean') return observed(emailVerified, created)
  return unknown('a new user has no emailVerified that is true or false', created)
}

const askEmailVerifiedOnChange = async (scene: Scene): Promise<Verdict<'keep' | 'reset'>> => {
  const { id, created } = await scene.user()
  if (fieldsOf(created).emailVerified !== true)
    return untold('needs a verified user: a new one is not, so a reset would not show', created)
  const email = scene.marks.email('changed')
  const path = `/users/${encodeURIComponent(id)}`
  const changed = await scene.send({ method: 'PATCH', path, body: { email }, answers: 'user' })
  const now = fieldsOf(changed)
  if (!isOk(changed) || now.email !== email)
    return untold(`the email was not changed: ${exchangeText(changed)}`, changed)
  if (typeof now.emailVerified !== 'boolean') return unknown('the changed user has no emailVerified', created, changed)
  return observed(now.emailVerified ? 'keep' : 'reset', created, changed)
}
