import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMock, type ListenOptions, type MockOptions } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { seed, startViews, textOf, unescaped } from './support/views.ts'

const run = promisify(execFile)

describe('a view without records', () => {
  const start = async ({ adminToken, ...options }: MockOptions & ListenOptions = {}) => {
    const mock = createMock({ clock: noon, seed: { projects: { acme: {} } }, ...options })
    onTestFinished(() => mock.close())
    const { url } = await mock.listen({ adminToken })
    const headers = { authorization: `Bearer ${adminToken}` }
    const view = async (name: string) => {
      const response = await fetch(`${url}/__admin/dashboard/${name}`, { headers })
      const markup = await response.text()
      expect(response.status, markup).toBe(200)
      const empty = [...markup.matchAll(/<div class="none">\s*<p>([^<]*)<\/p>.*?<code>(.*?)<\/code>/gs)]
      const states = empty.map(([, sentence, code]) => ({
        sentence: sentence!,
        curl: unescaped(code!.replace(/<[^>]*>/g, '')),
      }))
      return { markup, states }
    }
    return { view }
  }
  const env = { ...process.env, TOKEN: 'tok_acme', PAYLINK_MOCK_ADMIN_TOKEN: 'tok_admin' }
  const send = async (curl: string) =>
    (await run('sh', ['-c', `${curl} -s -o /dev/null -w '%{http_code}'`], { env })).stdout.trim()

  it.each<[string, MockOptions]>([
    ['projects', { seed: {} }],
    ['sandboxes', {}],
    ['users?project=acme', {}],
    ['payment-links?project=acme', {}],
    ['snapshots?project=acme', {}],
    ['snapshots', {}],
    ['faults?project=acme', {}],
    ['faults', {}],
    ['journal?project=acme', {}],
    ['journal?project=acme', { basePath: '/v1', tokens: ['tok_acme'] }],
    ['journal', {}],
  ])('shows one sentence and a curl command that ends it: %s %j', async (name, options) => {
    for (const adminToken of [undefined, 'tok_admin']) {
      const { view } = await start({ ...options, adminToken })
      const [state, ...more] = (await view(name)).states
      expect(more).toEqual([])
      expect(state!.sentence).toMatch(/^No [^.]*\.$/)
      expect(await send(state!.curl), state!.curl).toMatch(/^2\d\d$/)
      const { states, markup } = await view(name)
      expect(states).toEqual([])
      expect(markup).toContain('<tr')
    }
  })

  it('shows one sentence and a curl command for each list of the diagnostics', async () => {
    const { view } = await start()
    const { states } = await view('diagnostics?project=acme')
    expect(states.map(({ sentence }) => sentence)).toEqual([
      'The specification allows all requests.',
      'No response depended on a behavior.',
    ])
    for (const { curl } of states) expect(await send(curl)).toBe('200')
  })
})

it.each([
  ['users', 'Add a user'],
  ['payment-links', 'Add a payment link'],
  ['faults', 'Add a fault'],
])('%s has its form to add above the rows', async (name, title) => {
  const { mock, view } = await startViews({ seed })
  await mock.faults.add({ effect: { status: 503 } })
  const { markup } = await view(`${name}?project=acme`)
  const form = markup.indexOf(`<summary class="button first">${title}</summary>`)
  expect(form).toBeGreaterThan(0)
  expect(form).toBeLessThan(markup.indexOf('<table'))
})

it('the form of a fault asks what happens, and then when, with one line of help for each field', async () => {
  const { view } = await startViews({ seed })
  const { markup } = await view('faults?project=acme')
  const steps = [...markup.matchAll(/<legend>(.*?)<\/legend>(.*?)(?=<fieldset>\s*<legend>|<\/form>)/gs)]
  expect(steps.map(([, title]) => title)).toEqual(['1. What happens', '2. When it happens'])
  const names = steps.map(([, , content]) => {
    // The effect itself has no help: its fields have it, or a sentence in their place.
    const fields = [...content!.matchAll(/<(?:input|select|textarea) ([^>]*)>/g)]
      .map(([, attributes]) => attributes!)
      .filter((attributes) => !/type="hidden"|data-chooser/.test(attributes))
    for (const attributes of fields) {
      const about = /aria-describedby="([^"]+)"/.exec(attributes)?.[1]
      const help = new RegExp(`<small id="${about}">([^<]+)</small>`).exec(content!)?.[1]
      expect(help?.length, attributes).toBeLessThan(70)
    }
    return fields.map((attributes) => /name="([^"]+)"/.exec(attributes)![1])
  })
  expect(names[0]!.every((name) => name!.startsWith('effect.'))).toBe(true)
  const when = ['match.operation', 'match.body', 'phase', 'from', 'until', 'skip', 'times', 'times', 'probability']
  expect(names[1]).toEqual(when)
  const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

it('the bar says the mode of the clock', async () => {
  const { mock, view } = await startViews({ seed })
  for (const mode of ['frozen', 'stepping', 'real'] as const) {
    await mock.project('acme').clock.set({ mode })
    expect(textOf((await view('bar?project=acme')).markup)).toContain(`Clock: ${mode} at `)
  }
})
