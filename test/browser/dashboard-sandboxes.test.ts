import { describe, expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import { openDashboard } from './support/dashboard.ts'
import { seed, startViews, textOf } from './support/views.ts'
import { readJson } from '../support/read.ts'

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

  it('offers the dashboards of the sandboxes', async () => {
    const { view } = await start('b', 'a')
    const { markup } = await view('bar')
    expect(sandboxesIn(markup)).toEqual({ '*None': '../__admin/', a: '../@a/__admin/', b: '../@b/__admin/' })
  })

  it('names its sandbox, and offers the others and the way back', async () => {
    const { view } = await start('a', 'b')
    const { markup, text } = await view('bar?project=acme', '/@a')
    expect(sandboxesIn(markup)).toEqual({
      None: '../../__admin/',
      '*a': '../../@a/__admin/',
      b: '../../@b/__admin/',
    })
    expect(text).toContain('1 user ')
  })

  it('names a sandbox that was not used yet', async () => {
    const { view, mock } = await start()
    expect(Object.keys(sandboxesIn((await view('bar', '/@new')).markup))).toEqual(['None', '*new'])
    expect(await mock.sandboxes.list()).toEqual([])
  })

  it('offers 100 sandboxes, and its own besides', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `s${String(index).padStart(3, '0')}`)
    const { view } = await start(...names)
    expect(Object.keys(sandboxesIn((await view('bar')).markup))).toEqual(['*None', ...names.slice(0, 100)])
    expect(Object.keys(sandboxesIn((await view('bar', '/@s100')).markup)).at(-1)).toBe('*s100')
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
    expect(rows.map(({ cells }) => [cells.name, cells.Projects])).toEqual([
      ['a', '2'],
      ['b', '2'],
      ['c', '2'],
    ])
    expect(row('b').markup).toContain('<a href="../@b/__admin/">b</a>')
    await row('b').send('Delete')
    expect((await view('sandboxes')).rows.map(({ key }) => key)).toEqual(['a', 'c'])
    await send('Delete all')
    expect(await mock.sandboxes.list()).toEqual([])
    expect(textOf((await view('sandboxes')).markup)).toContain('No sandboxes yet')
  })

  it('finds sandboxes by a part of their name, 50 on a page', async () => {
    const { view } = await start(...Array.from({ length: 60 }, (_, index) => `s${index}`), 'other')
    const { rows, text } = await view('sandboxes?q=S')
    expect(rows).toHaveLength(50)
    expect(text).toContain('1 to 50 of 60 sandboxes')
    expect((await view('sandboxes?q=oth')).rows.map(({ key }) => key)).toEqual(['other'])
    expect((await view('sandboxes?q=none')).text).toContain('No sandbox matches.')
  })

  it('has no list inside of a sandbox', async () => {
    const { mock } = await start('a')
    const response = await mock.fetch('/@a/__admin/dashboard/sandboxes')
    expect((await readJson(response, 404)).code).toBe('sandboxNotFound')
  })
})

describeInBrowser('the sandboxes of the dashboard', (open) => {
  it('are selected, controlled and left', async () => {
    const { mock, page, go, press, confirm, done } = await openDashboard(open, {
      adminToken: 'tok_admin_0123456789',
    })
    await mock.sandbox('checkout-1').project('acme').users.delete('usr_ada')
    await go('users', '')
    await page.getByLabel('Sandbox').selectOption('checkout-1')
    await page.waitForURL('**/@checkout-1/__admin/')
    await page.getByRole('link', { name: 'acme' }).click()
    await page.locator('#bar').getByText('1 user', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Users' }).click()
    const grace = page.locator('[data-row=usr_grace] .menu')
    await grace.locator('summary').click()
    await grace.getByRole('button', { name: 'Delete' }).click()
    await confirm('Delete')
    await done('Deleted usr_grace.')
    expect((await mock.sandbox('checkout-1').project('acme').summary()).users).toBe(0)
    expect((await mock.project('acme').summary()).users).toBe(2)
    await page.getByLabel('Sandbox').selectOption('None')
    await page.getByRole('link', { name: '1 sandbox' }).click()
    await press('Delete checkout-1')
    await confirm('Delete')
    await done('Deleted checkout-1.')
    expect(await mock.sandboxes.list()).toEqual([])
  })
})
