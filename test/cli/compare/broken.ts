// Ways in which a service can be broken. `rules.test.ts` has more, one for each rule.
import type { Reply, Sent, ServiceOptions } from './service.ts'

export type Change = NonNullable<ServiceOptions['change']>

/** Changes the response to some calls. */
export const changeReply =
  (isMeant: (sent: Sent, reply: Reply) => boolean, change: (reply: any) => object): Change =>
  async (sent, deliver) => {
    const reply = await deliver(sent)
    return isMeant(sent, reply) ? { ...reply, ...change(reply) } : reply
  }

/** Changes each record of a successful response. */
export const changeRecords =
  (change: (record: any, sent: Sent) => void): Change =>
  async (sent, deliver) => {
    const reply = await deliver(sent)
    for (const record of reply.body?.items ?? [reply.body])
      if (typeof record?.id === 'string' && reply.status < 300) change(record, sent)
    return reply
  }

const changeBody =
  (change: (body: any, sent: Sent) => void): Change =>
  async (sent, deliver) => {
    const reply = await deliver(sent)
    if (reply.body !== undefined) change(reply.body, sent)
    return reply
  }

export const changePath =
  (from: RegExp, to: string): Change =>
  (sent, deliver) =>
    deliver({ ...sent, path: sent.path.replace(from, to) })

export const isError = (_: Sent, { status }: Reply) => status >= 400
export const isList = (_: Sent, { body }: Reply) => body?.object === 'list'

export const broken: Readonly<Record<string, Change>> = {
  'goes the wrong way from a cursor': changePath(/after=/, 'before='),
  'ignores the limit': changePath(/limit=[23]/, 'limit=50'),
  'ignores the filter of an invoice': changePath(/invoice=\w+/, 'limit=10'),
  'ignores the filter of a status': changePath(/status=\w+&/, ''),
  'leaves out a field': changeBody((body) => delete body.emailVerified),
  'sorts users by email': changeBody((body, { path }) => {
    if (path.includes('users')) body.items?.sort((a: any, b: any) => (a.email < b.email ? -1 : 1))
  }),
  'never has more items': changeBody((body) => 'moreItemsAfter' in body && (body.moreItemsAfter = null)),
  'forgets metadata': changeBody((body) => body.object === 'user' && (body.metadata = {})),
  'does not set canceledAt': changeBody((body) => 'canceledAt' in body && (body.canceledAt = null)),
  'loses an item of each page': changeBody((body) => body.items?.length > 2 && body.items.splice(1, 1)),
  'sends 400 for an unknown id': changeReply(
    (_, { status }) => status === 404,
    () => ({ status: 400 }),
  ),
  'loses updates': async (sent, deliver) => {
    if (sent.method !== 'PATCH') return deliver(sent)
    const { method: _, body, ...rest } = sent
    const reply = await deliver({ ...rest, method: 'GET' })
    return { ...reply, body: { ...reply.body, ...(body as object) } }
  },
  'loses deletions': (sent, deliver) => deliver(sent.method === 'DELETE' ? { ...sent, method: 'GET' } : sent),
  'cancels a completed link': async (sent, deliver) => {
    const reply = await deliver(sent)
    if (!sent.path.endsWith('/cancel') || reply.status !== 409) return reply
    const link = await deliver({ ...sent, method: 'GET', path: sent.path.replace('/cancel', '') })
    return { ...link, body: { ...link.body, status: 'canceled' } }
  },
}
