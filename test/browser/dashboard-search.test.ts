import { describe, expect, it } from 'vitest'
import { seed, startViews, unescaped } from './support/views.ts'

/** Follows a link of the pager through all views. */
const followed = async (view: Awaited<ReturnType<typeof startViews>>['view'], first: string, label: string) => {
  const pages: string[][] = []
  for (let name: string | undefined = first; name !== undefined;) {
    const shown = await view(name)
    pages.push(shown.rows.map(({ key }) => key))
    const link: string | undefined = new RegExp(`<a class="button" href="#([^"]*)">${label}</a>`).exec(
      shown.markup,
    )?.[1]
    name = link && `${unescaped(link)}&project=acme`
    if (name === undefined) return { pages, last: shown }
  }
  throw new Error('unreachable')
}

describe('the search for users', () => {
  it.each([
    ['part of a name, in another case', 'LOVE', ['usr_ada']],
    ['part of an email', 'grace@', ['usr_grace']],
    ['part of an id', 'r_ad', ['usr_ada']],
    ['white space around it', ' ada ', ['usr_ada']],
    ['a text that all have', 'example.com', ['usr_grace', 'usr_ada']],
    ['a pattern, which is only text', '.', ['usr_grace', 'usr_ada']],
    ['a text that none has', 'nobody', []],
    ['metadata, which is not searched', 'family', []],
  ])('finds by %s', async (_, q, expected) => {
    const { view } = await startViews({ seed })
    const { rows, text } = await view(`users?project=acme&q=${encodeURIComponent(q)}`)
    expect(rows.map(({ key }) => key)).toEqual(expected)
    expect(text).toContain('Name, email or id')
    expect(text).toContain('Any part of it, in upper or lower case.')
  })

  it('is the same for every value of searchMatch', async () => {
    for (const searchMatch of ['exact', 'ignoreCase', 'contains'] as const) {
      const { view } = await startViews({ seed, behaviors: { searchMatch } })
      expect((await view('users?project=acme&q=DA@EX')).rows.map(({ key }) => key)).toEqual(['usr_ada'])
    }
  })
})

describe('the search for payment links', () => {
  const paymentLinks = [
    { id: 'pml_1', invoice: 'inv_100', payer: { fullName: 'Ada Lovelace', email: 'ada@example.com' } },
    { id: 'pml_2', invoice: 'inv_200', payer: { taxNumber: '12345' }, status: 'completed' as const },
  ]

  it.each([
    ['part of an invoice', 'q=V_1', ['pml_1']],
    ['part of the name of a payer', 'q=love', ['pml_1']],
    ['part of the email of a payer', 'q=A@E', ['pml_1']],
    ['part of an id', 'q=L_2', ['pml_2']],
    ['a text, and a status that fits', 'q=inv&status=completed', ['pml_2']],
    ['a text, and a status that does not fit', 'q=inv_1&status=completed', []],
    ['the tax number, which is not searched', 'q=12345', []],
  ])('finds by %s', async (_, query, expected) => {
    const { view } = await startViews({ seed: { projects: { acme: { paymentLinks } } } })
    const { rows, text } = await view(`payment-links?project=acme&${query}`)
    expect(rows.map(({ key }) => key)).toEqual(expected)
    expect(text).toContain('Invoice, payer or id')
    expect(text).toContain('Any part of it, in upper or lower case; a payer by name or email.')
  })
})

describe('the pages of a filtered list', () => {
  // Every second of 130 records matches: two full pages and a rest of 15.
  const numbers = Array.from({ length: 130 }, (_, index) => String(index).padStart(3, '0'))
  const isOdd = (number: string) => Number(number) % 2 === 1
  const acme = {
    users: numbers.map((number) => ({
      id: `usr_${number}`,
      email: `${number}@example.com`,
      fullName: isOdd(number) ? 'Odd Ada' : 'Even Grace',
    })),
    paymentLinks: numbers.map((number) => ({
      id: `pml_${number}`,
      invoice: `inv_${number}`,
      payer: { fullName: isOdd(number) ? 'Odd Ada' : 'Even Grace' },
      status: Number(number) % 4 < 2 ? ('active' as const) : ('completed' as const),
    })),
  }
  const expected = (prefix: string, matches: (number: string) => boolean) => {
    const keys = numbers.filter(matches).map((number) => prefix + number)
    return Array.from({ length: Math.ceil(keys.length / 25) }, (_, page) =>
      keys.toReversed().slice(page * 25, page * 25 + 25),
    )
  }

  it.each([
    ['users', 'usr_', 'q=odd', isOdd],
    ['users', 'usr_', '', () => true],
    ['payment-links', 'pml_', 'q=odd', isOdd],
    ['payment-links', 'pml_', 'status=active', (number: string) => Number(number) % 4 < 2],
    ['payment-links', 'pml_', 'q=odd&status=active', (number: string) => Number(number) % 4 === 1],
    ['payment-links', 'pml_', 'q=odd&status=canceled', () => false],
  ] as const)('hold each match once, forward and backward: %s, %s%s', async (name, prefix, query, matches) => {
    const { view } = await startViews({ seed: { projects: { acme } } })
    const all = expected(prefix, matches)
    const first = `${name}?project=acme&${query}`
    const { pages, last } = await followed(view, first, 'Next')
    expect(pages).toEqual(all.length === 0 ? [[]] : all)
    if (all.length < 2) return
    expect(last.markup).toContain(
      `href="#${name}${query === '' ? '' : `?${query.replaceAll('&', '&amp;')}`}">First</a>`,
    )

    const previous = /<a class="button" href="#([^"]*)">Previous<\/a>/.exec(last.markup)![1]!
    const back = await followed(view, `${unescaped(previous)}&project=acme`, 'Previous')
    expect(back.pages).toEqual(all.slice(0, -1).toReversed())
  })

  it('keep the filter of projects', async () => {
    const projects = Object.fromEntries(numbers.map((number) => [`${isOdd(number) ? 'odd' : 'even'}-${number}`, {}]))
    const { view } = await startViews({ seed: { projects } })
    const { pages } = await followed(view, 'projects?q=ODD', 'Next')
    expect(pages.map(({ length }) => length)).toEqual([50, 15])
    expect(pages.flat()).toEqual(numbers.filter(isOdd).map((number) => `odd-${number}`))
    const { pages: back, last } = await followed(view, 'projects?q=ODD&from=50', 'Previous')
    expect(back).toEqual(pages.toReversed())
    expect(last.text).toContain('1 to 50 of 65 projects')
  })
})
