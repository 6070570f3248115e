import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { writeBehaviors } from '../../../src/node/commands/run-calibrate.ts'

const settings = { project: 'shop', invoice: 'inv_a' } as Parameters<typeof writeBehaviors>[2]

it.each([
  [{}, undefined],
  [{ createStatus: 200, unknownProject: 'create', invoiceIds: 'prefix' }, undefined],
  [{ unknownProject: 'notFound' }, { shop: {} }],
  [{ invoiceIds: 'seeded' }, { shop: { invoices: ['inv_a'] } }],
  [{ unknownProject: 'notFound', invoiceIds: 'seeded' }, { shop: { invoices: ['inv_a'] } }],
] as const)('a seed with %j has the projects that these behaviors need', async (behaviors, projects) => {
  const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'seed.json')
  await writeBehaviors(file, behaviors, settings)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ behaviors, ...(projects && { projects }) })
})
