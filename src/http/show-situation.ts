import { type ErrorCode, errorDefinitions } from '../schema/error.ts'
import type { FaultRule } from '../schema/fault.ts'
import type { OperationId } from '../schema/operation-routes.ts'
import type { PaymentLinkStatus } from '../schema/payment-link.ts'
import type { Operation } from './operation.ts'

// Each function returns a line of TypeScript for a test that has the control of its `project`, and the `serviceUrl` of its
// client. The client is shown the situation by the next call of the operation.

/** Formats a value as TypeScript. The names of fields need no quotes, unless they are headers. */
const format = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(format).join(', ')}]`
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(
    ([name, one]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${format(one)}`,
  )
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

const formatFaultLine = (rule: FaultRule): string => `await project.faults.add(${format(rule)})`

/** The situations of any operation by their names, each with the fault that shows it. */
export const anySituations = {
  '401': formatFaultLine({ effect: { status: 401 } }),
  '403': formatFaultLine({ effect: { status: 403 } }),
  '429 with Retry-After': formatFaultLine({ effect: { status: 429, headers: { 'retry-after': '1' } } }),
  '5xx': formatFaultLine({ effect: { status: 503 } }),
  'lost response after a change': formatFaultLine({
    match: { operation: 'createPaymentLink' },
    phase: 'after',
    effect: { connection: 'reset' },
  }),
  'no response': formatFaultLine({ effect: { connection: 'reset' } }),
  'broken JSON': formatFaultLine({ effect: { corrupt: 'malformed' } }),
  'late response': formatFaultLine({ effect: { delay: { milliseconds: 1500 } } }),
  'stale read': formatFaultLine({ effect: { stale: { changes: 1 } } }),
  'duplicate delivery': formatFaultLine({ effect: { duplicate: true } }),
}

/** An error is sent by a fault, so that the client can call with any record. */
export const formatErrorLine = (operation: OperationId, code: ErrorCode): string => {
  const { status, type, summary: message } = errorDefinitions[code]
  return formatFaultLine({ match: { operation }, effect: { status, body: { object: 'error', type, code, message } } })
}

const userLine = `const user = await project.users.create({ email: 'ada@example.com' })`

const formatLinkLine = (status?: PaymentLinkStatus): string =>
  `const link = await project.paymentLinks.create(${format({ invoice: 'inv_1', ...(status && { status }) })})`

/** A success needs the record that the operation is about. An operation without one is called. */
export const formatSuccessLine = (operation: Operation, provider: string): string => {
  if (operation.path.includes('{user}')) return userLine
  return operation.path.includes('{paymentLink}') ? formatLinkLine() : formatFetch(operation, provider)
}

const formatFetch = ({ id, method, path }: Operation, provider: string): string => {
  const body = id === 'createPaymentLink' ? { invoice: 'inv_1', type: provider, [provider]: { user: {} } } : bodies[id]
  const url = '${serviceUrl}' + path.replace('{project}', '${project.id}')
  const headers = { authorization: 'Bearer any', ...(body !== undefined && { 'content-type': 'application/json' }) }
  const sent = body !== undefined ? `, body: JSON.stringify(${format(body)})` : ''
  return `await fetch(\`${url}\`, { method: '${method}', headers: ${format(headers)}${sent} })`
}

const bodies: Partial<Record<OperationId, unknown>> = { createUser: { email: 'ada@example.com' }, searchUsers: {} }

/** The line that shows a page of a list. */
export const formatPageLine = ({ path }: Operation, page: 'empty page' | 'second page' | 'page before'): string => {
  if (page === 'empty page') return 'await project.state.put({})'
  const eleven = path.includes('/users') ? { users: 11 } : { paymentLinks: { active: 11 } }
  const state = `await project.state.put(${format({ generate: eleven })})`
  return page === 'second page' ? state : `${state} // then list with after, and with before`
}

/** The line that shows a payment link with a status. */
export const formatPaymentLinkLine = (words: string): string =>
  words === 'completed after active'
    ? `${formatLinkLine()}; await project.paymentLinks.pay(link.id, { when: { reads: 2 } })`
    : formatLinkLine(words as PaymentLinkStatus)
