/** Each flag of a command alone, each pair, and none: a flag decides its own setting, whatever else is given. */
import { describe, expect, it } from 'vitest'
import { readArgs } from '../../src/node/args.ts'
import { type CommandName, type FlagName, flagNames, flags, hasFlag } from '../../src/node/flags.ts'
import { readSettings } from '../../src/node/settings.ts'
import { listSubsets } from '../support/subsets.ts'
import { seedFile, startCli } from './support/cli.ts'
import { runHere } from './support/main.ts'
import { requestJson } from './support/request.ts'

type Settings = ReturnType<typeof readSettings>

/** The flags of a command that have an effect of their own. `--help` and `--version` print something else. */
const flagsOf = (command: CommandName): FlagName[] =>
  flagNames.filter((name) => hasFlag(command, name) && name !== 'help' && name !== 'version')

/** A value of each flag of `start`, and the setting that it decides. */
const ofStart: Partial<Record<FlagName, readonly [value: string, view: (settings: Settings) => unknown]>> = {
  port: ['0', ({ listen }) => listen.port],
  host: ['::1', ({ listen }) => listen.host],
  'base-path': ['/v7', ({ mock }) => mock.basePath],
  provider: ['acmepay', ({ mock }) => mock.provider],
  seed: ['empty', ({ seed }) => seed],
  token: ['tok_1', ({ mock }) => mock.tokens],
  'admin-token': ['none', ({ listen }) => listen.adminToken],
  'allowed-hosts': ['mock.example', ({ listen }) => listen.allowedHosts],
  clock: ['frozen', ({ mock }) => mock.clock],
  'id-seed': ['other', ({ mock }) => mock.idSeed],
  profile: ['strict', ({ mock }) => mock.profile],
  behavior: ['createStatus=200', ({ mock }) => mock.behaviors],
  'public-url': ['https://pay.example', ({ mock }) => mock.publicUrl],
  cors: ['https://shop.example', ({ mock }) => mock.cors],
  log: ['silent', ({ log }) => log],
  'journal-size': ['2', ({ mock }) => mock.journalSize],
  'max-sandboxes': ['0', ({ mock }) => mock.maxSandboxes],
  'body-limit': ['50', ({ mock }) => mock.bodyLimit],
  watch: ['', ({ watch }) => watch],
}

const toFlag = (name: FlagName, value: string) => (value === '' ? `--${name}` : `--${name}=${value}`)

/** The settings of flags and variables: what decides each, by the name of its flag. */
const readViews = (names: readonly string[], areVariables: (name: string) => boolean) => {
  const given = flagNames.filter((name) => names.includes(name)).map((name) => [name, ofStart[name]![0]] as const)
  const isVariable = (name: FlagName) => flags[name].env !== undefined && areVariables(name)
  const argv = given.filter(([name]) => !isVariable(name)).map(([name, value]) => toFlag(name, value))
  const env = given.filter(([name]) => isVariable(name)).map(([name, value]) => [flags[name].env!, value])
  const args = readArgs(argv, Object.fromEntries(env) as Record<string, string>)
  expect(args.warnings).toEqual([])
  const settings = readSettings(args, false)
  return Object.fromEntries(Object.entries(ofStart).map(([name, [, view]]) => [name, view(settings)]))
}

it('the flags and variables of start decide the same alone, in pairs, and without another', () => {
  expect(Object.keys(ofStart).toSorted()).toEqual(flagsOf('start').toSorted())
  const none = readViews([], () => false)
  const alone = Object.fromEntries(Object.keys(ofStart).map((name) => [name, readViews([name], () => false)[name]]))
  for (const name of Object.keys(ofStart)) expect(alone[name], name).not.toEqual(none[name])
  for (const names of listSubsets(Object.keys(ofStart)))
    for (const areVariables of [() => false, () => true, (name: string) => name === names[0]]) {
      const wanted = Object.keys(ofStart).map((name) => [name, names.includes(name) ? alone[name] : none[name]])
      expect(readViews(names, areVariables), names.join()).toEqual(Object.fromEntries(wanted))
    }
})

it('the flags of openapi decide the same alone, in pairs, and without another', async () => {
  const values = { 'base-path': '/v7', provider: 'acmepay', profile: 'strict', behavior: 'createStatus=200' } as const
  expect(Object.keys(values).toSorted()).toEqual(flagsOf('openapi').toSorted())
  for (const names of listSubsets(Object.keys(values)) as (keyof typeof values)[][]) {
    const { code, out } = await runHere(['openapi', ...names.map((name) => toFlag(name, values[name]))])
    const { servers, paths, components } = JSON.parse(out)
    const has = (name: keyof typeof values) => names.includes(name)
    expect(code).toBe(0)
    expect(servers[0].url, names.join()).toBe(has('base-path') ? '/v7' : '/')
    expect(JSON.stringify(components).includes('"acmepay"'), names.join()).toBe(has('provider'))
    const { responses } = paths['/projects/{project}/users'].post
    expect(has('behavior') ? '200' in responses : '201' in responses, names.join()).toBe(true)
    // Only the strict profile rejects unknown fields.
    expect(components.schemas.CreateUserBody.additionalProperties, names.join()).toBe(
      has('profile') ? false : undefined,
    )
  }
})

describe.each(['calibrate', 'drift'] as const)('the flags of %s', (command) => {
  it('are accepted alone and in pairs', async () => {
    const behaviors = seedFile({ behaviors: { createStatus: 200 } })
    const service = await startCli(['--log', 'silent', '--token', 'tok_1', '--provider', 'acmepay'])
    const values: Partial<Record<FlagName, string>> = {
      provider: 'acmepay',
      token: 'tok_1',
      'base-url': service.url,
      project: 'acme',
      invoice: 'inv_1',
      only: 'createStatus',
      ...(command === 'calibrate' ? { out: behaviors } : { behaviors }),
      'dry-run': '',
      yes: '',
      json: '',
    }
    expect(Object.keys(values).toSorted()).toEqual(flagsOf(command).toSorted())
    const required = ['base-url', 'project', 'token', 'only', 'yes', ...(command === 'drift' ? ['behaviors'] : [])]
    const wantedOf = (has: (name: string) => boolean): RegExp => {
      if (command === 'drift' && !has('behaviors')) return /drift needs the expected behaviors/
      if (has('dry-run')) return has('json') ? /^\{\n/ : /POST/
      return /--(?:base-url|project|token|invoice|yes)/
    }
    for (const names of listSubsets(Object.keys(values))) {
      const argv = names.map((name) => toFlag(name as FlagName, values[name as FlagName]!))
      const { code, out, err } = await runHere([command, ...argv])
      const has = (name: string) => names.includes(name)
      const isRun = has('dry-run') && (command === 'calibrate' || has('behaviors'))
      expect({ code, text: out || err }, names.join()).toEqual({
        code: isRun ? 0 : 2,
        text: expect.stringMatching(wantedOf(has)),
      })
    }
    // With what a run needs, each other flag, and each pair of them.
    const others = Object.keys(values).filter((name) => !required.includes(name))
    for (const names of listSubsets(others)) {
      const all = [...required, ...names]
      const { code, out } = await runHere([
        command,
        ...all.map((name) => toFlag(name as FlagName, values[name as FlagName]!)),
      ])
      // The mock creates users with 201, and drift was told 200.
      expect(code, names.join()).toBe(command === 'drift' && !names.includes('dry-run') ? 1 : 0)
      expect(out.startsWith('{'), names.join()).toBe(names.includes('json'))
    }
    const { body } = await requestJson(`${service.url}/projects/acme/users`, 'GET', undefined, {
      authorization: 'Bearer tok_1',
    })
    expect(body.items.some(({ email }: { email: string }) => email.includes('calibrate'))).toBe(false)
  })
})
