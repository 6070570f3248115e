import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../support/installed.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)

it.each(workflows)('%s pins each action by its commit, with the version in a comment', (file) => {
  const uses = [...read(file).matchAll(/\buses: (?!\.\/)(.*)$/gm)].map(([, action]) => action)
  expect(uses.length).toBeGreaterThan(0)
  for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/)
})

it.each(workflows)('%s pins each container by its digest, with the version in a comment', (file) => {
  const images = [...read(file).matchAll(/^ +# (.*)\n +image: (.*)$/gm)].map(
    ([, comment, image]) => `${image} ${comment}`,
  )
  expect(images).toHaveLength(read(file).match(/^ +image: \S/gm)?.length ?? 0)
  for (const image of images) expect(image).toMatch(/^[\w-]+:[\w.-]+@sha256:[\da-f]{64} Node \d+\.\d+\.\d+ /)
})

it('the image pins its only base by its digest, with the version in a comment', () => {
  const dockerfile = read('Dockerfile')
  expect(dockerfile).toMatch(/^# Node \d+\.\d+\.\d+ .*\nARG NODE_IMAGE=node:\d+-slim@sha256:[\da-f]{64}$/m)
  expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}'])
})

it('a release runs all checks first, and says what the image contains and how it was built', () => {
  const { jobs } = parse(read('.github/workflows/release.yml'))
  expect(jobs.check).toEqual({ uses: './.github/workflows/ci.yml' })
  expect([jobs.package.needs, jobs.image.needs]).toEqual(['check', 'check'])
  expect(jobs.image.steps.at(-1).with).toMatchObject({ push: true, sbom: true, provenance: 'mode=max' })
  const ci = parse(read('.github/workflows/ci.yml'))
  expect(ci.on).toHaveProperty('workflow_call')
  expect(ci.jobs.check.steps.at(-1).run).toBe('bash .ci/run')
})

it('a bot proposes updates of each pinned dependency', () => {
  const { updates } = parse(read('.github/dependabot.yml'))
  const ecosystems = updates.map((update: Record<string, string>) => update['package-ecosystem'])
  expect(ecosystems).toEqual(['npm', 'github-actions', 'docker'])
})
