import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { createMock } from '../../src/node/index.ts'
import { root } from '../support/installed.ts'
import { allBlocks, expectText, textOf, withFiles } from './pages.ts'
import { readArgs } from '../../src/node/args.ts'
import { readSettings } from '../../src/node/flag-values.ts'

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

const readReplicas = (file: string) => readFileSync(join(root, 'examples/replicas', file), 'utf8')
const servers = [...readReplicas('nginx.conf').matchAll(/server (\S+):4600 max_fails=0;/g)].map(([, name]) => name!)
const { services } = parse(readReplicas('compose.yaml'), { strict: true, merge: true })
const manifests: any[] = parseAllDocuments(readReplicas('kubernetes.yaml'), { strict: true }).map((document) =>
  document.toJS(),
)
const find = (kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)

it('nginx has one line for each replica of the compose file, which all have the same settings', () => {
  const { router, ...replicas } = services
  expect(Object.keys(replicas)).toEqual(servers)
  for (const replica of Object.values<any>(replicas)) {
    expect(replica).toEqual(replicas['paylink-0'])
    const { PAYLINK_MOCK_SEED: _, ...environment } = replica.environment
    expect(() => readSettings(readArgs(['start'], environment), false)).not.toThrow()
  }
  expect(router.depends_on).toEqual(servers)
})

it('each pod of the StatefulSet has a service with the name that nginx uses', () => {
  const { replicas, template } = find('StatefulSet', 'paylink').spec
  expect(replicas).toBe(servers.length)
  expect(template.spec.enableServiceLinks).toBe(false)
  for (const name of servers)
    expect(find('Service', name).spec).toEqual({
      selector: { 'statefulset.kubernetes.io/pod-name': name },
      ports: [{ port: 4600 }],
    })
})

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

const languages = readdirSync(join(root, 'docs/languages')).map((page) => page.replace('.md', ''))

const runner = textOf('test/quality/languages/run.sh')

/** The files that give each test its own project. */
const fixtures: Readonly<Record<string, string>> = {
  python: 'conftest.py',
  go: 'project_test.go',
  java: 'Project.java',
  ruby: 'spec/spec_helper.rb',
  php: 'tests/PaylinkProject.php',
}

describe.each(languages)('docs/languages/%s.md', (language) => {
  const page = `docs/languages/${language}.md`
  const [, command] = new RegExp(`\\[${language}\\]='(.+)'`).exec(runner.split('declare -A tests')[1]!) ?? []

  it('has the files as node test/quality languages runs them: `npm test -- -u` writes them', async () => {
    await expectText(page, withFiles(textOf(page), language))
  })

  it('has no other code in its language', () => {
    const included = textOf(page).match(/^<!-- examples\/.* -->$/gm) ?? []
    expect(included.length).toBeGreaterThan(3)
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

  it('has an example that needs no file outside its folder, and names missing variables in one sentence', () => {
    const folder = join(root, 'examples', language)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.md$|\.pyc$/.test(entry.name))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    expect(files.filter((text) => /\.\.\/(?!src\/)/.test(text))).toEqual([])
    const sentence = 'Set PAYLINK_MOCK_URL and PAYLINK_MOCK_ADMIN_TOKEN to those of a running mock.'
    expect(files.filter((text) => text.includes(sentence))).toHaveLength(1)
  })

  it('has a fixture of at most 44 lines', () => {
    expect(textOf(`examples/${language}/${fixtures[language]}`).match(/^.*\S.*$/gm)?.length).toBeLessThanOrEqual(44)
  })
})
