import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { ask, describeControl } from '../support/control.ts'
import { token } from '../support/canary.ts'

const users = (project: string) => `/projects/${project}/users`

describeControl('the report', (start) => {
  it('is the text of a project that formatProject returns', async () => {
    const { mock, control } = await start()
    await ask(mock, users('acme'), 'POST', { email: 'ada@example.com' })
    const text = await control.project('acme').report()
    expect(text).toMatch(/^Project 'acme', revision 1, frozen clock at .*\nRequests, the newest last:\n {2}POST /)
    expect(text).not.toContain(token)
  })

  it('shows the ten projects that were used last, the latest first', async () => {
    const { mock, control } = await start({ seed: { projects: { unused: {}, p1: {} } } })
    for (let i = 1; i <= 11; i++) await ask(mock, users(`p${i}`))
    await ask(mock, users('p2'))
    const shown = [...(await control.report()).matchAll(/^Project '(\w+)'/gm)].map(([, id]) => id)
    expect(shown).toEqual(['p2', 'p11', 'p10', 'p9', 'p8', 'p7', 'p6', 'p5', 'p4', 'p3'])
  })

  it('shows projects without requests after the others', async () => {
    const { mock, control } = await start({ seed: { projects: { unused: {}, used: {} } } })
    await ask(mock, users('used'))
    expect(await control.report()).toMatch(/^Project 'used'[^]*\n\nProject 'unused'/)
  })

  it('has no part for requests without a project', async () => {
    const { mock, control } = await start()
    const empty = await control.report()
    await ask(mock, '/nowhere')
    expect(await control.report()).toBe(empty)
  })

  it('says that there is no project', async () => {
    const { control } = await start()
    expect(await control.report()).toBe('There is no project.')
  })

  it('of an unknown project creates nothing', async () => {
    const { control } = await start()
    expect(await control.project('acme').report()).toMatch(/^Project 'acme', revision 0/)
    expect(await control.projects()).toEqual([])
  })
})

describe('the report over HTTP', () => {
  const get = async (path: string) => {
    await using mock = createMock({ seed: { projects: { acme: { users: [{ email: 'ada@example.com' }] } } } })
    await mock.project('acme').paymentLinks.create({ invoice: 'inv_1' })
    const { url } = await mock.listen()
    await ask(mock, users('acme'))
    const response = await fetch(`${url}/__admin${path}`)
    const { status, headers } = response
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    return { status, type: headers.get('content-type'), text: await response.text(), url }
  }

  it.each(['/report', '/projects/acme/report', '/report?format=text'])('%s is plain text', async (path) => {
    const { status, type, text } = await get(path)
    expect([status, type]).toEqual([200, 'text/plain; charset=UTF-8'])
    expect(text).toMatch(/^Project 'acme'/)
  })

  it.each(['/report', '/projects/acme/report'])('%s?format=json is data', async (path) => {
    const { type, text, url } = await get(`${path}?format=json`)
    expect(type).toBe('application/json')
    const { object, projects } = JSON.parse(text)
    expect([object, projects.length]).toEqual(['report', 1])
    const [{ summary, requests, users: found, paymentLinks, faults }] = projects
    expect(summary).toMatchObject({ object: 'project', id: 'acme', users: 1, paymentLinks: 1 })
    expect(requests).toMatchObject([{ operation: 'listUsers', status: 200 }])
    expect(found).toMatchObject([{ email: 'ada@example.com' }])
    expect(paymentLinks[0].paymentUrl).toMatch(`${url}/pay/acme/`)
    expect(faults).toEqual([])
  })

  it('rejects an unknown format', async () => {
    const { status, text } = await get('/report?format=xml')
    expect(status).toBe(422)
    expect(JSON.parse(text)).toMatchObject({
      code: 'invalidQuery',
      message: "format must be 'text' or 'json' (got 'xml').",
    })
  })
})
