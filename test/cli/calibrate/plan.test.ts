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
