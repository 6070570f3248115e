import { expect, it } from 'vitest'
import { views } from '../../src/pages/dashboard/views.ts'
import { seed, startViews, textOf } from './support/views.ts'

/** The controls of a view in their order: each form with its call, each field with all that it accepts. */
const listControls = (markup: string): string[] =>
  [...markup.matchAll(/<(form|input|select|option|textarea|button)\b([^>]*)>([^<]*)/g)].map(
    ([, name, attributes, text]) =>
      `${name === 'form' ? '' : name === 'option' ? '    ' : '  '}${name} ${`${attributes} ${name === 'select' ? '' : text}`.replace(/\s+/g, ' ').trim()}`,
  )

it.each([...views.keys()])('has its fields and calls: %s', async (name) => {
  const { mock, view } = await startViews({ seed })
  const acme = mock.project('acme')
  await acme.snapshots.save('one')
  await mock.sandbox('a').project('acme').users.list()
  await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer any' } })
  await acme.paymentLinks.pay('pml_open', { when: { reads: 3 } })
  await acme.faults.add({ effect: { hold: true } })
  const { items } = await acme.requests.list()
  const ids: Readonly<Record<string, string>> = { request: items[0]!.id, 'payment-link': 'pml_open', user: 'usr_ada' }
  const { markup } = await view(`${name}?project=acme${name in ids ? `&id=${ids[name]}` : ''}`)
  expect(textOf(markup)).not.toBe('')
  // A form that changes is to be looked at: `npm test -- -u` writes the list again.
  expect(listControls(markup).join('\n')).toMatchSnapshot()
})
