import { expect } from 'vitest'
import type { Mock, MockOptions } from '../../../src/index.ts'
import { noon } from '../../support/api.ts'
import { closingMock } from '../../support/mock.ts'

export { seed } from './dashboard.ts'

/** Renders views in process, at the root or below the prefix of a sandbox. Most tests of the dashboard need no browser. */
export const startViews = async (options: MockOptions = {}) => {
  const mock = closingMock({ clock: noon, ...options })
  const view = async (name: string, prefix = '') => {
    const response = await mock.fetch(`${prefix}/__admin/dashboard/${name}`)
    const markup = await response.text()
    expect(response.status, markup).toBe(200)
    const rows = [...markup.matchAll(/<tr data-row="([^"]*)">(.*?)<\/tr>/gs)].map(([, key, row]) => ({
      key: unescaped(key!),
      cells: cellsOf(row!),
      ...partOf(mock, prefix, row!),
    }))
    const row = (key: string) => {
      const found = rows.find((one) => one.key === key)
      if (found === undefined) throw new Error(`No row ${key}, but ${rows.map((one) => one.key).join(', ')}.`)
      return found
    }
    return { ...partOf(mock, prefix, markup), rows, row }
  }
  return { mock, view }
}

/** A part of a view: its markup, its text without tags, and its buttons, which call the control API. */
const partOf = (mock: Mock, prefix: string, markup: string) => {
  /** The form of a button, found by the text of the button. */
  const form = (button: string) => {
    const found = [...markup.matchAll(/<form ([^>]*)>(?:(?!<\/form>).)*<\/form>/gs)].find(([whole]) =>
      textOf(whole.slice(whole.indexOf('>') + 1)).includes(button),
    )
    if (found === undefined) throw new Error(`No button ${button} in ${textOf(markup)}`)
    const attribute = (name: string) => {
      const value = new RegExp(`data-${name}="([^"]*)"`).exec(found[1]!)?.[1]
      return value === undefined ? undefined : unescaped(value)
    }
    return { method: attribute('method')!, path: attribute('path')!, body: attribute('body') }
  }
  /** Sends the call of a button, and expects success. */
  const send = async (button: string): Promise<unknown> => {
    const { method, path, body } = form(button)
    const sent = body !== undefined && { headers: { 'content-type': 'application/json' }, body }
    const response = await mock.fetch(`${prefix}/__admin/${path}`, { method, ...sent })
    const text = await response.text()
    expect(response.ok, text).toBe(true)
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }
  return { markup, text: textOf(markup), form, send }
}

/** The text of each cell; the first cell is `name`. */
const cellsOf = (row: string): Record<string, string> =>
  Object.fromEntries(
    [...row.matchAll(/<(?:th|td) (?:scope="row"|data-column="([^"]*)")>(.*?)<\/(?:th|td)>/gs)].map(
      ([, label = 'name', cell]) => [label, textOf(cell!)],
    ),
  )

export const textOf = (markup: string): string =>
  unescaped(markup.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

/** Reverses the HTML escaping of a text. */
export const unescaped = (text: string): string =>
  text.replace(
    /&(lt|gt|quot|#39|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '&',
  )

/** The shell commands of a page. */
export const linesOfCurl = (page: string): string[] =>
  [...page.matchAll(/<pre[^>]*><code>(.*?)<\/code>/gs)].map(([, block]) => unescaped(block!.replace(/<[^>]*>/g, '')))
