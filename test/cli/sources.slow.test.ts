import { readFileSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { constants } from 'node:buffer'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/client/index.ts'
import type { ServerControl } from '../../src/client/control.ts'
import { getFixturePath } from '../../src/node/files.ts'
import { seedFile, cliPath } from './support/cli.ts'
import { runMain } from './support/main.ts'
import { request, requestJson, requestText } from './support/request.ts'

type Headers = Readonly<Record<string, string>>

/** A running mock that has a setting from one source. */
interface Running {
  readonly url: string
  readonly control: ServerControl
  /** The printed lines of curl; undefined if the setting was changed later. */
  readonly lines: string | undefined
}

interface Setting {
  readonly flag: string
  readonly variable: string
  readonly value: string
  /** The setting in a seed, if a seed can have it. */
  readonly seed?: object
  /** Sets it at run time, if the control API can. */
  readonly set?: (control: ServerControl) => Promise<unknown>
  /** Each place that uses it. */
  readonly consumers: Readonly<Record<string, (mock: Running) => Promise<void>>>
}

const any: Headers = { authorization: 'Bearer any', accept: 'application/json' }
const links = '/projects/acme/paymentLinks'
const read = async (url: string) => (await fetch(url)).text()
const create = (url: string, provider = 'partner', headers = any) =>
  requestJson(url + links, 'POST', { invoice: 'inv_1', type: provider, [provider]: { user: {} } }, headers)

const settings: Readonly<Record<string, Setting>> = {
  tokens: {
    flag: '--token',
    variable: 'PAYLINK_MOCK_TOKENS',
    value: 'tok_1',
    seed: { tokens: [{ token: 'tok_1' }] },
    set: ({ tokens }) => tokens.replace([{ token: 'tok_1' }]),
    consumers: {
      'the mocked API': async ({ url }) => {
        expect(await request(url + links, { headers: any })).toMatchObject({ status: 401 })
        const headers = { authorization: 'Bearer tok_1' }
        expect(await request(url + links, { headers })).toMatchObject({ status: 200 })
      },
      'the printed lines': async ({ lines }) => expectVariable(lines, 'TOKEN'),
      'the start page': async ({ url }) => expectVariable(await read(`${url}/`), 'TOKEN'),
      'the page /docs': async ({ url }) => expectVariable(await read(`${url}/docs`), 'TOKEN'),
    },
  },
  'the admin token': {
    flag: '--admin-token',
    variable: 'PAYLINK_MOCK_ADMIN_TOKEN',
    value: 'tok_admin',
    consumers: {
      'the control API': async ({ url }) => {
        expect(await request(`${url}/__admin/projects`)).toMatchObject({ status: 401 })
        const headers = { authorization: 'Bearer tok_admin' }
        expect(await request(`${url}/__admin/projects`, { headers })).toMatchObject({ status: 200 })
      },
      'the printed lines': async ({ lines }) => expectVariable(lines, 'PAYLINK_MOCK_ADMIN_TOKEN'),
      'the start page': async ({ url }) => expectVariable(await read(`${url}/`), 'PAYLINK_MOCK_ADMIN_TOKEN'),
    },
  },
  'the base path': {
    flag: '--base-path',
    variable: 'PAYLINK_MOCK_BASE_PATH',
    value: '/v7',
    consumers: {
      'the mocked API': async ({ url }) => {
        expect(await request(`${url}/v7${links}`, { headers: any })).toMatchObject({ status: 200 })
        expect(await request(url + links, { headers: any })).toMatchObject({ status: 404 })
      },
      'the OpenAPI document': async ({ url }) =>
        expect((await request(`${url}/openapi.json`)).body.servers[0]).toMatchObject({ url: '/v7' }),
      'the printed lines': async ({ lines, url }) => expect(lines).toContain(`${url}/v7${links}`),
      'the start page': async ({ url }) => expect(await read(`${url}/`)).toContain(`${url}/v7${links}`),
      'the page /docs': async ({ url }) => expect(await read(`${url}/docs`)).toContain(`${url}/v7${links}`),
      'the text for coding assistants': async ({ url }) => expect(await read(`${url}/llms.txt`)).toContain(`${url}/v7`),
    },
  },
  'the provider': {
    flag: '--provider',
    variable: 'PAYLINK_MOCK_PROVIDER',
    value: 'acmepay',
    consumers: {
      'the mocked API': async ({ url }) => {
        expect(await create(url, 'acmepay')).toMatchObject({ status: 201, body: { type: 'acmepay' } })
        expect(await create(url)).toMatchObject({ status: 422 })
      },
      'the OpenAPI document': async ({ url }) =>
        expect(await read(`${url}/openapi.json`)).toContain('"const":"acmepay"'),
      'the page /docs': async ({ url }) => expect(await read(`${url}/docs`)).toContain('acmepay'),
    },
  },
  'a behavior': {
    flag: '--behavior',
    variable: 'PAYLINK_MOCK_BEHAVIORS',
    value: 'createStatus=200',
    seed: { behaviors: { createStatus: 200 } },
    set: ({ behaviors }) => behaviors.set({ createStatus: 200 }),
    consumers: {
      'the mocked API': async ({ url }) => expect((await create(url)).status).toBe(200),
      'the OpenAPI document': async ({ url }) => {
        const { paths } = (await request(`${url}/openapi.json`)).body
        expect(paths['/projects/{project}/paymentLinks'].post.responses).toHaveProperty('200')
        expect(paths['/projects/{project}/paymentLinks'].post.responses).not.toHaveProperty('201')
      },
      'the control API': async ({ control }) =>
        expect((await control.behaviors.get()).values).toMatchObject({ createStatus: 200 }),
    },
  },
  'the profile': {
    flag: '--profile',
    variable: 'PAYLINK_MOCK_PROFILE',
    value: 'strict',
    consumers: {
      'the mocked API': async ({ url }) => expect((await create(url)).status).toBe(422),
      'the OpenAPI document': async ({ url }) => expect(await read(`${url}/openapi.json`)).toContain('"^inv_"'),
      'the control API': async ({ control }) =>
        expect((await control.behaviors.get()).values).toMatchObject({ invoiceIds: 'prefix' }),
    },
  },
  'the clock': {
    flag: '--clock',
    variable: 'PAYLINK_MOCK_CLOCK',
    value: '2031-01-01T00:00:00.000Z',
    seed: { clock: { mode: 'frozen', now: '2031-01-01T00:00:00.000Z' } },
    set: ({ clock }) => clock.set({ mode: 'frozen', now: '2031-01-01T00:00:00.000Z' }),
    consumers: {
      'the mocked API': async ({ url }) =>
        expect((await create(url)).body).toMatchObject({ createdAt: '2031-01-01T00:00:00.000Z' }),
      'the control API': async ({ control }) =>
        expect(await control.clock.get()).toEqual({ mode: 'frozen', now: '2031-01-01T00:00:00.000Z' }),
      'the start page': async ({ url }) => expect(await read(`${url}/`)).toContain('2031-01-01T00:00:00.000Z'),
    },
  },
  'the id seed': {
    flag: '--id-seed',
    variable: 'PAYLINK_MOCK_ID_SEED',
    value: 'mine',
    seed: { idSeed: 'mine' },
    consumers: {
      'the mocked API': async ({ url }) => expect((await create(url)).body.id).toBe('pml_Yz7Y3PycHMiV7ZTOdvCuzjHwGsg4'),
      'the start page': async ({ url }) => expect(await read(`${url}/`)).toContain('<code>mine</code>'),
    },
  },
  'the public URL': {
    flag: '--public-url',
    variable: 'PAYLINK_MOCK_PUBLIC_URL',
    value: 'https://mock.example',
    consumers: {
      'the mocked API': async ({ url }) =>
        expect((await create(url)).body.paymentUrl).toMatch(/^https:\/\/mock\.example\/pay\/acme\/pml_/),
      'the control API': async ({ control }) =>
        expect((await control.project('acme').paymentLinks.get('pml_open')).paymentUrl).toBe(
          'https://mock.example/pay/acme/pml_open',
        ),
    },
  },
  'the origins of CORS': {
    flag: '--cors',
    variable: 'PAYLINK_MOCK_CORS',
    value: 'https://shop.example',
    consumers: {
      'the mocked API': async ({ url }) => {
        const headers = { ...any, origin: 'https://shop.example' }
        expect((await request(url + links, { headers })).headers).toMatchObject({
          'access-control-allow-origin': 'https://shop.example',
        })
      },
    },
  },
  'the allowed hosts': {
    flag: '--allowed-hosts',
    variable: 'PAYLINK_MOCK_ALLOWED_HOSTS',
    value: 'mock.example',
    consumers: {
      'the control API': async ({ url }) =>
        expect(await request(`${url}/__admin/projects`, { headers: { host: 'mock.example' } })).toMatchObject({
          status: 200,
        }),
      'the start page': async ({ url }) => {
        const { text } = await requestText(`${url}/`, { headers: { host: 'mock.example' } })
        expect(text).toContain('pml_open')
      },
    },
  },
  'the journal size': {
    flag: '--journal-size',
    variable: 'PAYLINK_MOCK_JOURNAL_SIZE',
    value: '2',
    consumers: {
      'the journal': async ({ url, control }) => {
        for (let n = 0; n < 3; n++) await request(url + links, { headers: any })
        expect(await control.requests.list()).toMatchObject({ items: [{}, {}], dropped: 1 })
      },
    },
  },
  'the body limit': {
    flag: '--body-limit',
    variable: 'PAYLINK_MOCK_BODY_LIMIT',
    value: '20',
    consumers: {
      'the mocked API': async ({ url }) => expect((await create(url)).status).toBe(413),
    },
  },
  'the number of sandboxes': {
    flag: '--max-sandboxes',
    variable: 'PAYLINK_MOCK_MAX_SANDBOXES',
    value: '0',
    consumers: {
      'the mocked API': async ({ url }) =>
        expect(await request(`${url}/@a${links}`, { headers: any })).toMatchObject({ status: 404 }),
    },
  },
}

const expectVariable = (text: string | undefined, variable: string) => {
  if (text === undefined) return
  expect(text).toContain(`Bearer $${variable}`)
  if (variable === 'TOKEN') expect(text).not.toContain('Bearer any')
}

const demo = JSON.parse(readFileSync(getFixturePath('demo.json'), 'utf8')) as object

const start = async (args: readonly string[], env: Headers = {}, adminToken?: string): Promise<Running> => {
  const { outcome, err } = await runMain(['--port', '0', '--log', 'pretty', ...args], env)
  if (!('server' in outcome)) throw new Error(err)
  onTestFinished(() => outcome.server.close())
  const { url } = outcome.server
  return { url, control: connect(url, { adminToken }), lines: err.match(/^ {2}curl .*$/gm)?.join('\n') ?? '' }
}

describe.each(Object.entries(settings))('%s', (name, { flag, variable, value, seed, set, consumers }) => {
  const adminToken = name === 'the admin token' ? value : undefined
  const sources: Readonly<Record<string, (() => Promise<Running>) | undefined>> = {
    'a flag': () => start([flag, value], {}, adminToken),
    'a variable': () => start([], { [variable]: value }, adminToken),
    'the seed': seed && (() => start(['--seed', seedFile({ ...demo, ...seed })])),
    'the control API':
      set &&
      (async () => {
        const mock = await start([])
        await set(mock.control)
        return { ...mock, lines: undefined }
      }),
  }
  const rows = Object.entries(sources).flatMap(([source, open]) =>
    open === undefined ? [] : Object.entries(consumers).map(([place, use]) => [source, place, open, use] as const),
  )

  it.each(rows)('of %s is used by %s', async (_, _place, open, use) => {
    await use(await open())
  })
})

it('a seed from a pipe that is too large for a string is rejected', async () => {
  const size = constants.MAX_STRING_LENGTH + 1
  const line = `head -c ${size} /dev/zero | '${process.execPath}' '${cliPath}' validate /dev/stdin`
  const err = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', line], (_, __, text) => resolve(text))
  })
  expect(err).toBe('The seed /dev/stdin is larger than 512 MB. Create its records with `generate`.\n')
})
