import { describe, expect, it } from 'vitest'
import { seed, startViews, unescaped, textOf } from './support/views.ts'
import { readJson, readText } from '../support/read.ts'
import type { MockOptions } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { listeningMock } from '../support/mock.ts'
import { exec } from '../support/exec.ts'

/** Follows a link of the pager through all views. */
const followed = async (view: Awaited<ReturnType<typeof startViews>>['view'], first: string, label: string) => {
  const pages: string[][] = []
  for (let name: string | undefined = first; name !== undefined;) {
    const shown = await view(name)
    pages.push(shown.rows.map(({ key }) => key))
    const pattern = new RegExp(`<a class="button" href="#([^"]*)">${label}</a>`)
    const link: string | undefined = pattern.exec(shown.markup)?.[1]
    name = link && `${unescaped(link)}&project=acme`
    if (name === undefined) return { pages, last: shown }
  }
  throw new Error('unreachable')
}

describe('the search', () => {
  const paymentLinks = [
    { id: 'pml_1', invoice: 'inv_100', payer: { fullName: 'Ada Lovelace', email: 'ada@example.com' } },
    { id: 'pml_2', invoice: 'inv_200', payer: { taxNumber: '12345' }, status: 'completed' as const },
  ]
  const help = {
    users: /Name, email or id .*Any part of it, in upper or lower case\./,
    'payment-links': /Invoice, payer or id .*Any part of it, in upper or lower case; a payer by name or email\./,
  }

  it.each([
    ['users', 'part of a name, in another case', 'q=LOVE', ['usr_ada']],
    ['users', 'part of an email', 'q=grace@', ['usr_grace']],
    ['users', 'part of an id', 'q=r_ad', ['usr_ada']],
    ['users', 'white space around it', 'q=%20ada%20', ['usr_ada']],
    ['users', 'a text that all have', 'q=example.com', ['usr_grace', 'usr_ada']],
    ['users', 'a pattern, which is only text', 'q=.', ['usr_grace', 'usr_ada']],
    ['users', 'a text that none has', 'q=nobody', []],
    ['users', 'metadata, which is not searched', 'q=family', []],
    ['payment-links', 'part of an invoice', 'q=V_1', ['pml_1']],
    ['payment-links', 'part of the name of a payer', 'q=love', ['pml_1']],
    ['payment-links', 'part of the email of a payer', 'q=A@E', ['pml_1']],
    ['payment-links', 'part of an id', 'q=L_2', ['pml_2']],
    ['payment-links', 'a text, and a status that fits', 'q=inv&status=completed', ['pml_2']],
    ['payment-links', 'a text, and a status that does not fit', 'q=inv_1&status=completed', []],
    ['payment-links', 'the tax number, which is not searched', 'q=12345', []],
  ] as const)('for %s finds by %s', async (name, _, query, expected) => {
    const { view } = await startViews({ seed: { projects: { acme: { ...seed.projects.acme, paymentLinks } } } })
    const { rows, text } = await view(`${name}?project=acme&${query}`)
    expect(rows.map(({ key }) => key)).toEqual(expected)
    expect(text).toMatch(help[name])
  })
})

describe('the pages of a list', () => {
  // Every second of 130 records matches: two full pages and a rest of 15.
  const numbers = Array.from({ length: 130 }, (_, index) => String(index).padStart(3, '0'))
  const isOdd = (number: string) => Number(number) % 2 === 1
  const isActive = (number: string) => Number(number) % 4 < 2
  const nameOf = (number: string) => (isOdd(number) ? 'Odd Ada' : 'Even Grace')
  const acme = {
    users: numbers.map((number) => ({ id: `usr_${number}`, email: `${number}@example.com`, fullName: nameOf(number) })),
    paymentLinks: numbers.map((number) => ({
      id: `pml_${number}`,
      invoice: `inv_${number}`,
      payer: { fullName: nameOf(number) },
      status: isActive(number) ? ('active' as const) : ('completed' as const),
    })),
  }
  const others = numbers.map((number) => [`${isOdd(number) ? 'odd' : 'even'}-${number}`, {}])
  const newest = numbers.toReversed()

  it.each([
    ['users', '', newest.map((number) => `usr_${number}`)],
    ['users', 'q=odd', newest.filter(isOdd).map((number) => `usr_${number}`)],
    ['payment-links', '', newest.map((number) => `pml_${number}`)],
    ['payment-links', 'status=active', newest.filter(isActive).map((number) => `pml_${number}`)],
    ['payment-links', 'q=odd&status=active', newest.filter((n) => isOdd(n) && isActive(n)).map((n) => `pml_${n}`)],
    ['payment-links', 'q=odd&status=canceled', []],
    ['projects', 'q=ODD', numbers.filter(isOdd).map((number) => `odd-${number}`)],
  ])('hold each match once, forward and backward: %s, %s', async (name, query, keys) => {
    const { view } = await startViews({ seed: { projects: { acme, ...Object.fromEntries(others) } } })
    const all = Array.from({ length: Math.ceil(keys.length / 25) }, (_, page) => keys.slice(page * 25, page * 25 + 25))
    const { pages, last } = await followed(view, `${name}?project=acme&${query}`, 'Next')
    expect(pages).toEqual(all.length === 0 ? [[]] : all)
    if (all.length < 2) return
    const address = `${name}${query === '' ? '' : `?${query}`}`
    if (query.includes('q='))
      expect(last.text).toContain(` to ${keys.length} of ${keys.length} ${name.replace('-', ' ')}`)
    else expect(last.markup).toContain(`href="#${address}">First</a>`)
    const previous = /<a class="button" href="#([^"]*)">Previous<\/a>/.exec(last.markup)![1]!
    const back = await followed(view, `${unescaped(previous)}&project=acme`, 'Previous')
    expect(back.pages).toEqual(all.slice(0, -1).toReversed())
  })
})

describe('the dashboard of a mock with sandboxes', () => {
  const start = async (...names: string[]) => {
    const started = await startViews({ seed })
    for (const name of names) await started.mock.sandbox(name).project('acme').users.delete('usr_ada')
    return started
  }
  /** The options of the selection, from the names to the addresses. The selected name has a star. */
  const sandboxesIn = (markup: string) => {
    const select = /<select id="sandbox">(?:(?!<\/select>).)*/s.exec(markup)?.[0] ?? ''
    const options = select.matchAll(/<option value="([^"]*)" (selected)?>([^<]*)</g)
    return Object.fromEntries(
      [...options].map(([, url, selected, name]) => [(selected ?? '').replace('selected', '*') + name!.trim(), url]),
    )
  }

  it('offers the dashboards of the sandboxes, and the way back', async () => {
    const { view } = await start('b', 'a')
    const { markup } = await view('bar')
    expect(sandboxesIn(markup)).toEqual({ '*None': '../__admin/', a: '../@a/__admin/', b: '../@b/__admin/' })
    const inside = await view('bar?project=acme', '/@a')
    const urls = { None: '../../__admin/', '*a': '../../@a/__admin/', b: '../../@b/__admin/' }
    expect(sandboxesIn(inside.markup)).toEqual(urls)
    expect(inside.text).toContain('1 user ')
  })

  it('names a sandbox that was not used yet', async () => {
    const { view, mock } = await start()
    expect(Object.keys(sandboxesIn((await view('bar', '/@new')).markup))).toEqual(['None', '*new'])
    expect(await mock.sandboxes.list()).toEqual([])
  })

  it('shows nothing about sandboxes without any', async () => {
    const { view } = await start()
    for (const name of ['bar', 'projects']) expect((await view(name)).text).not.toMatch(/sandbox/i)
  })

  it('lists them with links, and deletes one or all', async () => {
    const { view, mock } = await start('a', 'b', 'c')
    expect((await view('projects')).markup).toContain('<a href="#sandboxes">3 sandboxes</a>')
    expect((await view('projects', '/@a')).markup).not.toContain('#sandboxes')
    const { rows, row, send } = await view('sandboxes')
    expect(rows.map(({ cells }) => `${cells.name} ${cells.Projects}`)).toEqual(['a 2', 'b 2', 'c 2'])
    expect(row('b').markup).toContain('<a href="../@b/__admin/">b</a>')
    await row('b').send('Delete')
    expect((await view('sandboxes')).rows.map(({ key }) => key)).toEqual(['a', 'c'])
    await send('Delete all')
    expect(await mock.sandboxes.list()).toEqual([])
    expect(textOf((await view('sandboxes')).markup)).toContain('No sandboxes yet')
  })

  it('finds sandboxes by a part of their name, 25 on a page', async () => {
    const { view } = await start(...Array.from({ length: 30 }, (_, index) => `s${index}`), 'other')
    const { rows, text } = await view('sandboxes?q=S')
    expect(rows).toHaveLength(25)
    expect(text).toContain('1 to 25 of 30 sandboxes')
    expect((await view('sandboxes?q=oth')).rows.map(({ key }) => key)).toEqual(['other'])
    expect((await view('sandboxes?q=none')).text).toContain('No sandbox matches.')
  })

  it('has no list inside of a sandbox', async () => {
    const { mock } = await start('a')
    const response = await mock.fetch('/@a/__admin/dashboard/sandboxes')
    expect((await readJson(response, 404)).code).toBe('sandboxNotFound')
  })
})

const startOverHttp = async (options: MockOptions = {}) => {
  const { mock, url } = await listeningMock({ clock: noon, seed, ...options })
  const newest = async () => (await mock.requests.list()).items.at(-1)!
  /** The line of curl that the dashboard shows for the newest request. */
  const page = async () => readText(fetch(`${url}/__admin/dashboard/request?id=${(await newest()).id}`))
  const line = async () => {
    return unescaped(/<div class="curl".*?<code>(.*?)<\/code>/s.exec(await page())![1]!.replace(/<[^>]*>/g, ''))
  }
  return { mock, url, newest, page, line }
}

const sentHeaders = { authorization: 'Bearer tok_1', accept: 'application/json' }
const json = { ...sentHeaders, 'content-type': 'application/json' }

describe('the line of curl of a recorded request', () => {
  it.each<[string, string, RequestInit]>([
    ['a repeated query parameter', '/users?limit=1&x=1&x=2&y=%20%26%3D&x=', { headers: sentHeaders }],
    ['an empty query parameter', '/users?limit=', { headers: sentHeaders }],
    ['HEAD', '/users?limit=1', { method: 'HEAD', headers: sentHeaders }],
    ['POST with a body', '/users', { method: 'POST', headers: json, body: `{"email":"o'hara@example.com"}` }],
    ['POST without a body', '/paymentLinks/pml_open/cancel', { method: 'POST', headers: sentHeaders }],
    ['PATCH', '/users/usr_ada', { method: 'PATCH', headers: json, body: '{"metadata":{"a":["é",null]}}' }],
    ['DELETE', '/users/usr_ada', { method: 'DELETE', headers: sentHeaders }],
    ['GET with brackets', '/users?x[a]={1}', { headers: sentHeaders }],
    ['a body that is not JSON', '/users', { method: 'POST', headers: json, body: '{"$HOME\n`id`' }],
    ['other headers', '/users', { headers: { ...sentHeaders, 'x-a': `"it's" $HOME`, 'x-b': '', accept: '*/*' } }],
  ])('sends the same again: %s', async (_, path, init) => {
    const { url, newest, page, line } = await startOverHttp({ tokens: [{ token: 'tok_1' }] })
    await fetch(`${url}/projects/acme${path}`, init)
    const first = await newest()
    const command = await line()
    expect(await page()).toContain('<p>Set TOKEN to a token of the mock first.</p>')
    await exec('sh', ['-c', `${command} -s`], { env: { ...process.env, TOKEN: 'tok_1' } })
    const second = await newest()
    expect(second.id).not.toBe(first.id)
    expect([second.method, second.path, second.query]).toEqual([first.method, first.path, first.query])
    expect(second.request.body).toEqual(first.request.body)
    const sent = ({ request }: typeof first) =>
      Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name]) =>
            !/^(host|connection|content-length|user-agent|sec-fetch-mode|accept-(language|encoding))$/.test(name),
        ),
      )
    expect(sent(second)).toEqual(sent(first))
  })

  it('works as it is pasted where any token is valid', async () => {
    const { url, newest, line, page } = await startOverHttp()
    await fetch(`${url}/projects/acme/users/usr_ada`, { headers: sentHeaders })
    const first = await newest()
    expect(await page()).not.toContain('TOKEN')
    await exec('sh', ['-c', `${await line()} -s`])
    expect(await newest()).toMatchObject({ path: first.path, status: 200 })
    expect((await newest()).id).not.toBe(first.id)
  })

  it('sends no hash of a secret', async () => {
    const { url, line } = await startOverHttp()
    const secrets = {
      cookie: 'a=b',
      'proxy-authorization': 'Basic a',
      'x-api-key': 'k',
      'x-auth-token': 't',
      'api-key': 'k',
    }
    await fetch(`${url}/projects/acme/users`, { headers: { ...sentHeaders, ...secrets } })
    expect(await line()).not.toMatch(/cookie|proxy|key|x-auth|#/)
  })
})
