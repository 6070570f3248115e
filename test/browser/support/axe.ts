import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const isThere = () => 'axe' in globalThis

// Runs in the page, where nothing of this file is known. Of the other theme only the colours can differ.
const runAxe = async (theme: string) => {
  const { violations, incomplete } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
    preload: false,
    resultTypes: ['violations', 'incomplete'],
    ...(theme === 'dark' && { runOnly: ['color-contrast'] }),
  })
  // Of a label without a role axe is not sure where the element has text.
  const unsure = incomplete.filter(({ id }) => id === 'aria-prohibited-attr')
  return [...violations, ...unsure].map(({ id, impact, nodes }) => [id, impact, nodes.map(({ html }) => html)])
}

/** That axe finds nothing on the page as it stands, in either theme. */
export const expectNothingSerious = async (page: Page, what: string): Promise<void> => {
  if (!(await page.evaluate(isThere))) await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate(runAxe, colorScheme), `${what}, ${colorScheme}`).toEqual([])
  }
}
