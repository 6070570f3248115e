import { describe, expect, it } from 'vitest'
import type { ListenOptions, MockOptions } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { readJson } from '../support/read.ts'
import { seed, startViews, unescaped } from './support/views.ts'
import { listeningMock } from '../support/mock.ts'
import { exec } from '../support/exec.ts'

const inAcme = (name: string) => `${name}${name.includes('?') ? '&' : '?'}project=acme`

describe('a view without records', () => {
  const start = async ({ adminToken, ...options }: MockOptions & ListenOptions = {}) => {
    const { url } = await listeningMock({ clock: noon, seed: { projects: { acme: {} } }, ...options }, { adminToken })
    const headers = { authorization: `Bearer ${adminToken}` }
    const view = async (name: string) => {
      const response = await fetch(`${url}/__admin/dashboard/${name}`, { headers })
      const markup = await response.text()
      expect(response.status, markup).toBe(200)
      const empty = [...markup.matchAll(/<div class="none">\s*<p>([^<]*)<\/p>.*?<code>(.*?)<\/code>/gs)]
      const textOf = (code: string) => unescaped(code.replace(/<[^>]*>/g, ''))
      const states = empty.map(([, sentence, code]) => ({ sentence: sentence!, curl: textOf(code!) }))
      return { markup, states }
    }
    return { view }
  }
  const env = { ...process.env, TOKEN: 'tok_acme', PAYLINK_MOCK_ADMIN_TOKEN: 'tok_admin' }
  const send = async (curl: string) =>
    (await exec('sh', ['-c', `${curl} -s -o /dev/null -w '%{http_code}'`], { env })).stdout.trim()

  it.each<[string, MockOptions]>([
    ['projects', { seed: {} }],
    ['sandboxes', {}],
    ['users?project=acme', {}],
    ['payment-links?project=acme', {}],
    ['snapshots?project=acme', {}],
    ['faults', {}],
    ['journal?project=acme', { basePath: '/v1', tokens: ['tok_acme'] }],
    ['journal', {}],
  ])('shows one sentence and a curl command that ends it: %s %j', async (name, options) => {
    for (const adminToken of name === 'journal' ? [undefined, 'tok_admin'] : [undefined]) {
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
    const sentences = ['No violations yet.', 'No response depended on a behavior.']
    expect(states.map(({ sentence }) => sentence)).toEqual(sentences)
    for (const { curl } of states) expect(await send(curl)).toBe('200')
  })
})

it('the form to add a record is above the rows', async () => {
  const { mock, view } = await startViews({ seed })
  await mock.faults.add({ effect: { status: 503 } })
  for (const [name, kind] of Object.entries({ users: 'user', 'payment-links': 'payment link', faults: 'fault' })) {
    const { markup } = await view(inAcme(name))
    const form = markup.indexOf(`<summary class="button first">Add a ${kind}</summary>`)
    expect(form).toBeGreaterThan(0)
    expect(form).toBeLessThan(markup.indexOf('<table'))
  }
})

/** The schema of a field, whose name is a path in a body. */
const findField = ({ schemas }: any, schema: any, path: readonly string[]): any => {
  const [name, ...rest] = path
  if (schema?.$ref !== undefined) return findField({ schemas }, schemas[schema.$ref.split('/').at(-1)], path)
  if (name === undefined) return schema
  const found = findField({ schemas }, schema?.properties?.[name], rest)
  return found ?? [...(schema?.oneOf ?? []), ...(schema?.anyOf ?? [])].find((one) => findField({ schemas }, one, path))
}

const withForms = 'users user?id=usr_ada payment-links payment-link?id=pml_open clock snapshots faults behaviors'

it.each(withForms.split(' '))('each field of a form is one of the body of its command: %s', async (name) => {
  const { mock, view } = await startViews({ seed })
  const { paths, components } = await readJson(mock.fetch('/__admin/openapi.json'))
  const { markup } = await view(inAcme(name))
  let count = 0
  const forms = markup.matchAll(/<form [^>]*data-method="(\w+)" data-path="([^"]*)"(.*?)<\/form>/gs)
  for (const [, method, path, content] of forms) {
    const isRoute = (one: string) => new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(`/__admin/${path}`)
    const route = Object.keys(paths).find(isRoute)
    const body = paths[route!][method!.toLowerCase()].requestBody?.content['application/json'].schema
    const fields = content!.matchAll(/<(input|select|textarea|button)\s[^>]*?name="([^"]+)"[^>]*>/g)
    for (const [tag, kind, field] of fields) {
      count++
      const schema = findField(components, body, field!.split('.'))
      expect(schema, `${path}: ${field}`).toBeDefined()
      if (kind !== 'input' || tag.includes('type="checkbox"')) continue
      const isNumber = /"(?:integer|number)"/.test(JSON.stringify(schema))
      expect([field, tag.includes('type="number"')]).toEqual([field, isNumber])
    }
  }
  expect(count).toBeGreaterThan(0)
})

it('the form of a fault asks what happens, and then when, with one line of help for each field', async () => {
  const { view } = await startViews({ seed })
  const { markup } = await view('faults?project=acme')
  const steps = [...markup.matchAll(/<legend>(.*?)<\/legend>(.*?)(?=<fieldset>\s*<legend>|<\/form>)/gs)]
  expect(steps.map(([, title]) => title)).toEqual(['1. What happens', '2. When it happens'])
  // The effect itself has no help: its fields have it, or a sentence in their place.
  const labels = /<label[^>]*>(?:<span[^>]*>)?\s*([^<]*?)(?:<\/span>)?\s*<(?:input|select|textarea) ([^>]*)>\s*([^<]*)/g
  const fields = steps.map(([, , content]) =>
    [...content!.matchAll(labels)]
      .filter(([, , attributes]) => attributes !== 'data-chooser')
      .map(([, before, attributes, after]) => {
        const about = /aria-describedby="([^"]+)"/.exec(attributes!)?.[1]
        const help = new RegExp(`<small id="${about}">([^<]+)</small>`).exec(content!)?.[1]
        expect(help?.length, attributes).toBeLessThan(70)
        return `${before || after!.trim()}: ${/name="([^"]+)"/.exec(attributes!)![1]}`
      }),
  )
  expect(fields).toEqual([
    [
      'Status: effect.status',
      'Headers (JSON): effect.headers',
      'Body (JSON): effect.body',
      'Delay in milliseconds: effect.delay.milliseconds',
      'Random extra delay: effect.delay.jitter',
      'Connection: effect.connection',
      'Response: effect.corrupt',
      'Requests: effect.rateLimit.limit',
      'Window in milliseconds: effect.rateLimit.window',
      'Changes: effect.stale.changes',
    ],
    [
      'Operation: match.operation',
      'Part of the body (JSON): match.body',
      'Phase: phase',
      'From: from',
      'Until: until',
      'Skip: skip',
      'Times: times',
      'Unlimited: times',
      'Probability: probability',
    ],
  ])
  const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

describe('the faults of one project', () => {
  it('include those for all projects, and *Remove* removes each of them', async () => {
    const { mock, view } = await startViews({ seed })
    const effect = { status: 503 }
    const forAll = await mock.faults.add({ effect })
    const own = await mock.project('acme').faults.add({ effect })
    const foreign = await mock.project('other').faults.add({ effect })
    const shown = await view('faults?project=acme')
    expect(shown.rows.map(({ key }) => key)).toEqual([own.id, forAll.id])
    expect(shown.markup.indexOf('<table')).toBeLessThan(shown.markup.indexOf('Lost response'))
    expect(shown.row(forAll.id).text).toContain('for all projects')
    expect(shown.row(own.id).text).not.toContain('for all projects')
    expect(shown.row(forAll.id).markup).toContain('data-confirm="Remove this fault for all projects?"')
    expect(shown.row(own.id).markup + (await view('faults')).markup).not.toContain('data-confirm')
    await shown.row(forAll.id).send('Remove')
    expect((await mock.faults.list()).map(({ id }) => id)).toEqual([own.id, foreign.id])
    await shown.row(own.id).send('Remove')
    expect((await mock.faults.list()).map(({ id }) => id)).toEqual([foreign.id])
  })

  it('are removed together, without those for all projects and of others', async () => {
    const { mock, view } = await startViews({ seed })
    const effect = { status: 503 }
    const forAll = await mock.faults.add({ effect })
    const second = await mock.faults.add({ effect })
    const foreign = await mock.project('other').faults.add({ effect })
    // The page of a project has nothing of its own to remove.
    expect((await view('faults?project=acme')).markup).not.toContain('Remove all')
    for (let i = 0; i < 2; i++) await mock.project('acme').faults.add({ effect })
    await (await view('faults?project=acme')).send('Remove all of this project')
    expect((await mock.faults.list()).map(({ id }) => id)).toEqual([forAll.id, second.id, foreign.id])
    await (await view('faults')).send('Remove all')
    expect(await mock.faults.list()).toEqual([])
  })

  it('show their effect with its fields', async () => {
    const { mock, view } = await startViews({ seed })
    const effect = { status: 429, headers: { 'retry-after': '1' }, body: 'slow <down>' }
    const { id } = await mock.project('acme').faults.add({ effect })
    const { cells } = (await view('faults?project=acme')).row(id)
    expect(cells.Effect).toBe('status: 429, headers: {"retry-after":"1"}, body: slow <down>')
  })
})

const notes = {
  frozen: 'The mock clock is frozen: time passes only when you advance it.',
  stepping: 'The mock clock moves with each write, or when you advance it.',
  real: undefined,
}

const modes = ['frozen', 'stepping', 'real'] as const
it.each(modes)('shows that the mock clock is %s, and ticks if it is real', async (mode) => {
  const { mock, view } = await startViews({ seed })
  const { clock } = mock.project('acme')
  await clock.set({ mode })
  const limit = await mock.faults.add({ effect: { rateLimit: { limit: 5, window: 1000 } } })
  const delay = await mock.faults.add({ effect: { delay: { milliseconds: 5 } } })
  const faults = await view('faults?project=acme')
  const form = faults.text.slice(faults.text.indexOf('Add a fault'))
  const link = await view('payment-link?project=acme&id=pml_open')
  for (const text of [faults.row(limit.id).text, form, link.text])
    expect([notes.frozen, notes.stepping].filter((note) => text.includes(note))).toEqual([notes[mode] ?? []].flat())
  expect(faults.row(delay.id).text).not.toContain('mock clock')
  const { now } = await clock.get()
  for (const { markup } of [
    await view('bar?project=acme'),
    await view('clock?project=acme'),
    (await view('projects')).row('acme'),
  ]) {
    const ticking = /<time datetime="([^"]*)"[^>]*data-ticks/.exec(markup)?.[1]
    expect(ticking !== undefined && ticking >= now).toBe(mode === 'real')
  }
})

it('a view names its scope: one project, all, or either', async () => {
  const { view } = await startViews({ seed })
  const one = 'For the project acme only'
  const all = 'For all projects'
  const either = ['clock', 'snapshots', 'faults', 'behaviors', 'journal', 'diagnostics', 'coverage']
  for (const name of ['users', 'user?id=usr_ada', 'payment-links', 'payment-link?id=pml_open', ...either]) {
    expect((await view(inAcme(name))).text, name).toContain(one)
    const title = /^[^?]*/.exec(name)![0].replace('-', ' ')
    const otherwise = either.includes(name) ? all : `${title} This tab shows one project. Choose one above.`
    expect((await view(name)).text.toLowerCase(), name).toContain(otherwise.toLowerCase())
  }
  for (const name of ['projects', 'projects?project=acme']) expect((await view(name)).text).toContain(all)
})

it('asks for confirmation of deletes and resets', async () => {
  const { mock, view } = await startViews({ seed })
  await mock.project('acme').snapshots.save('paid')
  const names = ['users', 'user?id=usr_ada', 'payment-links', 'payment-link?id=pml_open', 'snapshots', 'journal']
  const asked: Record<string, string | undefined> = {}
  for (const name of ['projects', ...names.map(inAcme)])
    for (const [form] of (await view(name)).markup.matchAll(/<form [^>]*>/g)) {
      const [method, path, question] = ['method', 'path', 'confirm'].map(
        (attribute) => new RegExp(` data-${attribute}="([^"]*)"`).exec(form)?.[1],
      )
      if (method === 'DELETE' || /\/?(?:reset|restore)$/.test(path ?? '')) asked[`${method} ${path}`] = question
    }
  const lost = 'All changes since the start are lost.'
  expect(asked).toEqual({
    'POST reset': `Reset all projects? ${lost}`,
    'POST projects/acme/reset': `Reset acme? ${lost}`,
    'POST projects/other/reset': `Reset other? ${lost}`,
    'DELETE projects/acme': 'Delete the project acme with all its records?',
    'DELETE projects/other': 'Delete the project other with all its records?',
    'DELETE projects/acme/users/usr_ada': 'Delete the user usr_ada?',
    'DELETE projects/acme/users/usr_grace': 'Delete the user usr_grace?',
    'DELETE projects/acme/paymentLinks/pml_open': 'Delete the payment link pml_open?',
    'DELETE projects/acme/paymentLinks/pml_paid': 'Delete the payment link pml_paid?',
    'DELETE projects/acme/snapshots/paid': 'Delete the snapshot paid?',
    'POST projects/acme/snapshots/paid/restore': 'Restore paid? All later changes are lost.',
    'DELETE projects/acme/requests': 'Clear the journal of acme?',
  })
})
