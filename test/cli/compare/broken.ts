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

/** Edits the response to each call. */
export const editReply =
  (edit: (reply: Reply, sent: Sent) => void): Change =>
  async (sent, deliver) => {
    const reply = await deliver(sent)
    edit(reply, sent)
    return reply
  }

/** Changes each record of a successful response. */
export const changeRecords = (change: (record: any, sent: Sent) => void) =>
  editReply(({ status, body }, sent) => {
    for (const record of body?.items ?? [body]) if (typeof record?.id === 'string' && status < 300) change(record, sent)
  })

export const changePath =
  (from: RegExp, to: string): Change =>
  (sent, deliver) =>
    deliver({ ...sent, path: sent.path.replace(from, to) })

export const isError = (_: Sent, { status }: Reply) => status >= 400
export const isList = (_: Sent, { body }: Reply) => body?.object === 'list'

/** A service whose errors have other codes than those of the mock. */
export const withOtherErrors = changeReply(isError, () => ({
  body: { type: 'failure', code: 'failed', message: 'It failed.' },
}))

export const broken: Readonly<Record<string, Change>> = {
  'goes the wrong way from a cursor': changePath(/after=/, 'before='),
  'ignores the filter of an invoice': changePath(/invoice=\w+/, 'limit=10'),
  'ignores the filter of a status': changePath(/status=\w+&/, ''),
  'forgets metadata': changeRecords((record) => record.object === 'user' && (record.metadata = {})),
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
