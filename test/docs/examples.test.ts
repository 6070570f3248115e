import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { root } from '../support/installed.ts'
import { allBlocks, expectText, textOf, withFiles } from './pages.ts'

const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const { version, devDependencies } = read('package.json')

const examples = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const packages = examples.filter((name) => existsSync(join(root, 'examples', name, 'package.json')))

it.each(examples)('examples/%s has a short README', (name) => {
  expect(textOf(`examples/${name}/README.md`).trim().split('\n').length).toBeLessThan(15)
})

describe.each(packages)('examples/%s', (name) => {
  const { scripts, devDependencies: own } = read(`examples/${name}/package.json`)

  it('installs the packed package, and the versions that the mock is tested with', () => {
    const { 'paylink-mock': packed, ...others } = own
    expect(packed).toBe(`file:../../paylink-mock-${version}.tgz`)
    expect(devDependencies).toMatchObject(others)
  })

  it('is run by node test/quality examples', () => {
    expect(scripts).toHaveProperty(['test'])
    expect(readFileSync(join(root, 'test/quality/examples/run.sh'), 'utf8')).toMatch(new RegExp(`for .*\\b${name}\\b`))
  })
})

it('examples/compose has a seed that starts a mock', async () => {
  await createMock({ seed: read('examples/compose/seed.json') }).close()
})

it('the page lists the generators of the check with their versions', () => {
  const installed = textOf('test/quality/generators/check.sh').matchAll(/ (@?[\w/-]+)@([\d.]+)/g)
  const tools = new Set(['typescript', '@types/node', 'openapi-fetch'])
  const generators = [...installed].filter(([, name]) => !tools.has(name!))
  expect(generators.length).toBeGreaterThan(1)
  const page = textOf('docs/generators.md')
  expect(page).toContain('npm run quality -- generators')
  expect(generators.filter(([, name, version]) => !page.includes(`\`${name}\` ${version}`))).toEqual([])
})

const languages = readdirSync(join(root, 'docs/languages')).map((page) => page.replace('.md', ''))

const runner = textOf('test/quality/languages/run.sh')

/** The files that give each test its own project, with their maximum number of lines. The plugin of pytest starts a mock too. */
const fixtures: Readonly<Record<string, readonly [file: string, maxLines: number]>> = {
  python: ['pytest_paylink_mock.py', 70],
  go: ['project_test.go', 45],
  java: ['Project.java', 45],
  ruby: ['spec/spec_helper.rb', 45],
  php: ['tests/PaylinkProject.php', 45],
}

describe.each(languages)('docs/languages/%s.md', (language) => {
  const page = `docs/languages/${language}.md`
  const [, command] = new RegExp(`\\[${language}\\]='(.+)'`).exec(runner.split('declare -A tests')[1]!) ?? []

  it('has the files as node test/quality languages runs them: `npm test -- -u` writes them', async () => {
    await expectText(page, withFiles(textOf(page), language))
  })

  it('has no other code in its language', () => {
    const included = textOf(page).match(/^<!-- examples\/.* -->$/gm) ?? []
    expect(included.length).toBeGreaterThan(2)
    expect(allBlocks.filter((block) => block.page === page && block.language === language)).toHaveLength(
      included.length,
    )
  })

  it.each([page, `examples/${language}/README.md`])('%s runs the tests with the same command', (text) => {
    const variables = 'PAYLINK_MOCK_URL=http://127.0.0.1:4600 PAYLINK_MOCK_ADMIN_TOKEN=secret'
    expect(textOf(text)).toContain(`\n${variables} ${command}\n`)
  })

  it('starts the mock without demo data, in a container and without one', () => {
    expect(textOf(page)).toMatch(/^docker run .* -e PAYLINK_MOCK_SEED=empty paylink-mock$/m)
    expect(textOf(page)).toContain('\nnpm start -- --seed empty --admin-token secret\n')
  })

  it('has an example that needs no file outside its folder, and needs no variables or names them in one sentence', () => {
    const folder = join(root, 'examples', language)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.md$|\.pyc$/.test(entry.name))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    expect(files.filter((text) => /\.\.\/(?!src\/)/.test(text))).toEqual([])
    const sentence = 'Set PAYLINK_MOCK_URL and PAYLINK_MOCK_ADMIN_TOKEN to those of a running mock.'
    const hasOwnMock = language === 'python'
    expect(files.filter((text) => text.includes(sentence))).toHaveLength(hasOwnMock ? 0 : 1)
  })

  it('has a short fixture', () => {
    const [file, maxLines] = fixtures[language]!
    const lines = textOf(`examples/${language}/${file}`).trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(maxLines)
  })
})
