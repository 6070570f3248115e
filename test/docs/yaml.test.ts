import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readArgs } from '../../src/command-line/args.ts'
import { readSettings } from '../../src/command-line/flag-values.ts'
import { root } from '../support/installed.ts'
import { type Block, blocks, textOf } from './pages.ts'

type Variables = Readonly<Record<string, string>>

const dockerfile = textOf('Dockerfile')
const exposed = Number(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1])

const fileBlock = (page: string): Block => ({ page, line: 1, language: 'yaml', code: textOf(page) })
const files = ['examples/compose/compose.yaml', '.github/workflows/ci.yml', '.github/workflows/release.yml']

const documents = [...blocks('yaml'), ...files.map(fileBlock)].map((block) => ({
  ...block,
  document: parse(block.code, { strict: true }),
}))
const workflows = documents.filter(({ document }) => 'jobs' in document)
const composed = documents.filter(({ document }) => 'services' in document)
const gitlab = documents.filter(({ document }) => Object.values<any>(document).some((job) => job.script))

/** Expects our image with its port, and variables that it accepts, of a service of a pipeline or of a compose file. */
const expectService = (image: string, port: number, variables: Variables) => {
  expect(image).toMatch(/^([\w.-]+\/)*paylink-mock(:[\d.]+)?$/)
  expect(port).toBe(exposed)
  const { values } = readArgs(['start'], variables)
  expect(Object.keys(values)).toHaveLength(Object.keys(variables).length)
  expect(() => readSettings(readArgs(['start'], variables), false)).not.toThrow()
}

it('is all workflows, compose files and jobs of GitLab', () => {
  expect(workflows.length + composed.length + gitlab.length).toBe(documents.length)
  for (const kind of [workflows, composed, gitlab]) expect(kind).not.toEqual([])
})

describe.each(workflows)('the workflow in $page, line $line', ({ code, document }) => {
  type Step = { readonly run?: string; readonly env?: Variables; readonly uses?: string; readonly with?: object }
  const jobs = Object.values<{ steps?: Step[]; services?: Record<string, any> }>(document.jobs)

  it('is one by the parser of GitHub', () => {
    const { context } = parseWorkflow({ name: 'workflow.yaml', content: code }, new NoOperationTraceWriter())
    expect(context.errors.getErrors().map(({ message }) => message)).toEqual([])
  })

  it('uses our action with inputs that it has', () => {
    const { inputs } = parse(textOf('action.yml'))
    for (const { uses = '', with: given = {} } of jobs.flatMap(({ steps = [] }) => steps))
      if (/\/paylink-mock@v[\d.]+$/.test(uses))
        expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)))
  })

  it('starts services as they are, and calls them where they are', () => {
    for (const { services = {}, steps = [] } of jobs)
      for (const { image, env, ports } of Object.values(services)) {
        const [outside, inside] = ports[0].split(':').map(Number)
        expectService(image, inside, env)
        expect(steps.map((step) => step.env?.PAYLINK_MOCK_URL)).toContain(`http://127.0.0.1:${outside}`)
      }
  })

  it('runs commands with flags and variables that they take', () => {
    for (const { run = '', env = {} } of jobs.flatMap(({ steps = [] }) => steps)) {
      if (!run.includes('paylink-mock ')) continue
      const words = run.split('paylink-mock ')[1]!.split(' ')
      const variables = Object.keys(env).filter((name) => name.startsWith('PAYLINK_MOCK_'))
      const flags = words.filter((word) => /^--\w/.test(word))
      expect(Object.keys(readArgs(words, env).values)).toHaveLength(variables.length + flags.length)
    }
  })
})

it.each(composed)('the compose file in $page, line $line, waits for the health check of the image', ({ document }) => {
  const { paylink, tests } = document.services
  expectService(paylink.image, Number(paylink.ports[0].split(':')[1]), paylink.environment)
  expect(dockerfile).toContain('HEALTHCHECK ')
  expect(tests.depends_on).toEqual({ paylink: { condition: 'service_healthy' } })
  expect(tests.environment.PAYLINK_MOCK_URL).toBe(`http://paylink:${exposed}`)
  const own = ['image', 'environment', 'ports', 'read_only', 'command', 'depends_on']
  const known = [...own, 'build', 'cap_drop', 'volumes', 'working_dir']
  for (const service of [paylink, tests]) expect(known).toEqual(expect.arrayContaining(Object.keys(service)))
})

it.each(gitlab)('the job of GitLab in $page, line $line, calls the service by its alias', ({ document }) => {
  for (const { services, variables, script, ...rest } of Object.values<any>(document)) {
    const [{ name, alias, variables: own, ...other }] = services
    expectService(name, Number(new URL(variables.PAYLINK_MOCK_URL).port), own)
    expect(new URL(variables.PAYLINK_MOCK_URL).hostname).toBe(alias)
    expect(script.every((line: unknown) => typeof line === 'string')).toBe(true)
    expect([Object.keys(rest), Object.keys(other)]).toEqual([['image'], []])
  }
})

// What is pinned, and what a release does.

const workflowFiles = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)

it.each(workflowFiles)('%s pins each action by its commit, with the version in a comment', (file) => {
  const uses = [...textOf(file).matchAll(/\buses: (?!\.\/)(.*)$/gm)].map(([, action]) => action)
  expect(uses.length).toBeGreaterThan(0)
  for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/)
})

it.each(workflowFiles)('%s pins each container by its digest, with the version in a comment', (file) => {
  const images = [...textOf(file).matchAll(/^ +# (.*)\n +image: (.*)$/gm)].map(
    ([, comment, image]) => `${image} ${comment}`,
  )
  expect(images).toHaveLength(textOf(file).match(/^ +image: \S/gm)?.length ?? 0)
  for (const image of images) expect(image).toMatch(/^[\w-]+:[\w.-]+@sha256:[\da-f]{64} Node \d+\.\d+\.\d+ /)
})

it('the image pins its only base by its digest, with the version in a comment', () => {
  expect(dockerfile).toMatch(/^# Node \d+\.\d+\.\d+ .*\nARG NODE_IMAGE=node:\d+-slim@sha256:[\da-f]{64}$/m)
  expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}'])
})

it('a release runs all checks first, and says what the image contains and how it was built', () => {
  const { jobs } = parse(textOf('.github/workflows/release.yml'))
  expect(jobs.check).toEqual({ uses: './.github/workflows/ci.yml' })
  expect([jobs.package.needs, jobs.image.needs]).toEqual(['check', 'check'])
  expect(jobs.image.steps.at(-1).with).toMatchObject({ push: true, sbom: true, provenance: 'mode=max' })
  const ci = parse(textOf('.github/workflows/ci.yml'))
  expect(ci.on).toHaveProperty('workflow_call')
  expect(ci.jobs.check.steps.at(-1).run).toBe('bash .ci/run')
})

it('a bot proposes updates of each pinned dependency', () => {
  const { updates } = parse(textOf('.github/dependabot.yml'))
  const ecosystems = updates.map((update: Record<string, string>) => update['package-ecosystem'])
  expect(ecosystems).toEqual(['npm', 'github-actions', 'docker'])
})
