import { expect, it } from 'vitest'
import { textOf } from './pages.ts'

/** The packages that a check installs, with their versions. */
const installedBy = (check: string) =>
  [...textOf(`test/quality/${check}/check.sh`).matchAll(/ (@?[\w/-]+)@([\d.]+)(?:-([\d.]+))?/g)].map(
    ([, name, version, release]) => ({ name: name!, version: release ?? version! }),
  )

it.each(['generators', 'other-generators'])(
  'the page lists the generators of the check %s with their versions',
  (check) => {
    const tools = new Set(['typescript', '@types/node', 'openapi-fetch'])
    const generators = installedBy(check).filter(({ name }) => !tools.has(name))
    expect(generators.length).toBeGreaterThan(1)
    const page = textOf('docs/generators.md')
    expect(page).toContain(`npm run quality -- ${check}`)
    expect(generators.filter(({ name, version }) => !page.includes(`\`${name}\` ${version}`))).toEqual([])
  },
)
