import { expect, it } from 'vitest'
import { planProbes, type ProbeKey, probeKeys } from '../../../src/extensions/calibrate/calibrate.ts'

it.each<[keys: readonly ProbeKey[], expected: object]>([
  [[], { users: 0, paymentLinks: 0, needsInvoice: false, leaves: [] }],
  [['invalidBodyStatus', 'errorFormat'], { users: 0, paymentLinks: 0, needsInvoice: false, leaves: [] }],
  [['createStatus', 'searchMatch'], { users: 1, paymentLinks: 0, needsInvoice: false }],
  [['duplicateEmail', 'deletedCursor'], { users: 4, paymentLinks: 0 }],
  [['cancelInactive', 'payerFields'], { users: 0, paymentLinks: 1, needsInvoice: true }],
  [['paymentLinkOrder'], { paymentLinks: 2 }],
  [['invoiceIds', 'paymentLinkOrder'], { paymentLinks: 3 }],
  [['unknownProject'], { users: 0, leaves: [expect.stringMatching(/^an empty project that cannot be deleted/)] }],
  [probeKeys, { users: 9, paymentLinks: 3, needsInvoice: true, leaves: [expect.any(String)] }],
])('plans the probes of %j', (keys, expected) => {
  expect(planProbes(keys)).toMatchObject(expected)
})

it('lists the probes in order, with their requests and the records that remain', () => {
  const { probes } = planProbes(['createStatus', 'deletedCursor', 'invoiceIds'])
  expect(probes).toEqual([
    {
      key: 'invoiceIds',
      requests: [
        'POST /paymentLinks for the invoice (shared)',
        "POST /paymentLinks for a made-up invoice without 'inv_'",
        "POST /paymentLinks for a made-up invoice 'inv_...'",
        'POST /paymentLinks for the invoice again, if both are rejected',
      ],
      leaves: 'up to 3 payment links, canceled at the end',
    },
    {
      key: 'deletedCursor',
      requests: [
        'POST /users (shared)',
        'POST /users, twice',
        'DELETE /users/{user} of the first of them, and GET, which must not find it',
        'GET /users after it, twice, and after the second of them',
      ],
      leaves: 'up to 3 users, deleted at the end',
    },
    { key: 'createStatus', requests: ['POST /users (shared)'], leaves: '1 user, deleted at the end' },
  ])
})
