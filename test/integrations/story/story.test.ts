import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../../src/node/index.ts'
import { tellStory } from './story.js'

it.each(['in process', 'over HTTP'])(
  'a client that knows a base URL and a token sees its link paid, %s',
  async (how) => {
    const mock = createMock()
    onTestFinished(() => mock.close())
    const baseUrl = how === 'in process' ? 'http://mock' : (await mock.listen()).url
    const paid = await tellStory({
      baseUrl,
      token: 'any',
      project: 'acme',
      ...(how === 'in process' && { fetch: mock.fetch }),
      pay: (link) => mock.project('acme').paymentLinks.pay(link.id),
    })
    expect(paid.paymentUrl).toBe(`${baseUrl}/pay/acme/${paid.id}`)
  },
)

it('the script for the container image works with any listening mock', async () => {
  const mock = createMock()
  onTestFinished(() => mock.close())
  const { url } = await mock.listen({ adminToken: 'secret' })
  const script = new URL('run.js', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...process.env, BASE_URL: url, ADMIN_TOKEN: 'secret' },
  })
  expect(stdout).toBe('story: ok\n')
})
