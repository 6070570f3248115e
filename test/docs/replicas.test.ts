import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readArgs } from '../../src/node/args.ts'
import { readSettings } from '../../src/node/settings.ts'
import { root } from '../support/installed.ts'

const read = (file: string) => readFileSync(join(root, 'examples/replicas', file), 'utf8')
const servers = [...read('nginx.conf').matchAll(/server (\S+):4600 max_fails=0;/g)].map(([, name]) => name!)
const { services } = parse(read('compose.yaml'), { strict: true, merge: true })
const manifests: any[] = parseAllDocuments(read('kubernetes.yaml'), { strict: true }).map((document) => document.toJS())
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
