import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../support/installed.ts'

it('the package has the pages of users, without a link that leads nowhere, and a text for coding assistants', () => {
  const packing = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })
  const [{ files }] = JSON.parse(packing.toString()) as [{ files: { path: string }[] }]
  const packed = files.map(({ path }) => path)
  expect(packed).toContain('llms.txt')
  expect(readFileSync(join(root, 'llms.txt'), 'utf8')).toMatch(/^# paylink-mock \d/)
  const isPacked = (target: string) => packed.some((path) => path === target || path.startsWith(`${target}/`))
  const pages = packed.filter((path) => path.endsWith('.md'))
  expect(pages).toContain('docs/reference.md')
  expect(pages).not.toContain('docs/architecture.md')
  expect(pages).not.toContain('docs/change-the-mock.md')
  const broken = pages.flatMap((page) =>
    [
      ...readFileSync(join(root, page), 'utf8')
        .replace(/^```[^]*?^```$/gm, '')
        .matchAll(/\]\(([^)#\s]+)/g),
    ]
      .map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target) && !isPacked(join(page, '..', target).replace(/\/$/, '')))
      // npm shows the README with its links to the repository, which also has the pages of maintainers.
      .filter((target) => page !== 'README.md' || !existsSync(join(root, target)))
      .map((target) => `${page}: ${target}`),
  )
  expect(broken).toEqual([])
})
