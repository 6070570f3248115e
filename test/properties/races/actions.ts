/** Actions that race for one payment link, their allowed responses, and the expected state. */
import { expect } from 'vitest'

export type Action = 'cancel' | 'pay' | 'payPage' | 'delete' | 'create'
export type Replacement = 'reset' | 'restore' | 'load'

/** An action as a request. `n` makes a created record unique. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface ActionResult {
  readonly action: Action
  readonly n: number
  readonly status: number
  readonly code: string | undefined
}

export const linkId = 'pml_raced'
export const createEmail = (n: number) => `user${n}@example.com`

/** Every request has a body that can arrive in parts. */
export const createRequest = (action: Action, project: string, n: number): Sent => {
  const api = `/projects/${project}`
  const json = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const link = `paymentLinks/${linkId}`
  return {
    cancel: { method: 'POST', path: `${api}/${link}/cancel`, headers: json, body: '{}' },
    pay: { method: 'POST', path: `/__admin${api}/${link}/pay`, headers: json, body: '{"outcome":"succeeded"}' },
    payPage: { method: 'POST', path: `/pay/${project}/${linkId}`, headers: form, body: 'outcome=succeeded' },
    delete: { method: 'DELETE', path: `/__admin${api}/${link}`, headers: json, body: '{}' },
    create: { method: 'POST', path: `${api}/users`, headers: json, body: JSON.stringify({ email: createEmail(n) }) },
  }[action]
}

/** The error code; pages have none. */
export const getErrorCode = (text: string): string | undefined => /"code":"(\w+)"/.exec(text)?.[1]

export const succeeded = ({ status }: ActionResult): boolean => status < 400
const closes = ({ action }: ActionResult): boolean => action === 'cancel' || action === 'pay' || action === 'payPage'
export const isApi = ({ action }: Pick<ActionResult, 'action'>): boolean => action === 'cancel' || action === 'create'

/** The errors of an action that is too late. */
const late: Readonly<Record<Action, readonly string[]>> = {
  cancel: ['409 paymentLinkNotActive', '404 paymentLinkNotFound'],
  pay: ['409 paymentLinkNotActive', '404 paymentLinkNotFound'],
  // A page has a message instead of a code.
  payPage: ['410 ', '404 '],
  delete: ['404 paymentLinkNotFound'],
  create: [],
}

/** Expects each action to succeed or to get a documented error. */
export const expectDocumented = (responses: readonly ActionResult[], alsoOfTheApi: readonly string[] = []): void => {
  for (const response of responses) {
    if (succeeded(response)) continue
    const allowed = [...late[response.action], ...(isApi(response) ? alsoOfTheApi : [])]
    expect(allowed, response.action).toContain(`${response.status} ${response.code ?? ''}`)
  }
}

interface Link {
  readonly status: string
  readonly createdAt: string
  readonly canceledAt: string | null
  readonly completedAt: string | null
}

/** The times of a link are those of its status, and no others. */
export const expectConsistent = ({ status, createdAt, canceledAt, completedAt }: Link): void => {
  expect(canceledAt !== null, 'canceledAt').toBe(status === 'canceled')
  expect(completedAt !== null, 'completedAt').toBe(status === 'completed')
  for (const time of [canceledAt, completedAt]) if (time !== null) expect(time >= createdAt).toBe(true)
}

/** Expects at most one action to have closed the link, matching its status. Returns the number of writes. */
export const expectOneWinner = (responses: readonly ActionResult[], link: Link | undefined): number => {
  const winners = responses.filter(succeeded)
  const closers = winners.filter(closes)
  const deletions = winners.filter(({ action }) => action === 'delete')
  expect(closers.length, 'who closed the link').toBeLessThanOrEqual(1)
  expect(deletions.length, 'who deleted the link').toBe(link === undefined ? 1 : 0)
  if (link !== undefined) {
    expectConsistent(link)
    const [closer] = closers
    expect(link.status).toBe(closer === undefined ? 'active' : closer.action === 'cancel' ? 'canceled' : 'completed')
  }
  return winners.length
}
