import { type Config, createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { buildControlContract } from '../support/control-contract.ts'
import { documentedBehaviors, loadDocument, type OpenApiDocument } from '../support/openapi.ts'

const expectNoWarnings = async (document: OpenApiDocument, rules: Record<string, 'off'> = {}) => {
  const config: Config = await createConfig({ extends: ['recommended-strict'], rules })
  const found = await lintFromString({ source: JSON.stringify(document), config })
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
}

const variants = [{}, { provider: 'acme-pay' }, { basePath: '/v1' }]
const behaviors = documentedBehaviors.map((row) => ({ behaviors: row }))

it.each([...variants, ...behaviors])('the document of the API has no linter warnings, with %j', async (options) => {
  await expectNoWarnings(await loadDocument(options))
})

it('the document of the control API has no linter warnings', async () => {
  // The health check has no client errors.
  await expectNoWarnings((await buildControlContract()).document, { 'operation-4xx-response': 'off' })
})
