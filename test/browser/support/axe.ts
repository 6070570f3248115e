import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const isThere = () => 'axe' in globalThis

// Runs in the page, without access to this file. Only the colors differ in the other theme.
const runAxe = async (theme: string) => {
  const { violations, incomplete } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
    preload: false,
    resultTypes: ['violations', 'incomplete'],
    ...(theme === 'dark' && { runOnly: ['color-contrast'] }),
  })
  // Axe reports a label without a role as incomplete if the element has text.
  const unsure = incomplete.filter(({ id }) => id === 'aria-prohibited-attr')
  return [...violations, ...unsure].map(({ id, impact, nodes }) => [id, impact, nodes.map(({ html }) => html)])
}

/** Expects no axe findings on the current page in both themes. */
export const expectNothingSerious = async (page: Page, what: string): Promise<void> => {
  if (!(await page.evaluate(isThere))) await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate(runAxe, colorScheme), `${what}, ${colorScheme}`).toEqual([])
  }
}
