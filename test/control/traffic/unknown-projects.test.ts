import { expect, it } from 'vitest'
import { createMock } from '../../../src/node/index.ts'
import { createUnknownProjects } from '../../../src/traffic/traffic.ts'
import { noon } from '../../support/api.ts'

it('the oldest is forgotten first, and a used one counts as new', () => {
  const forgotten: string[] = []
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => () => void forgotten.push(name))
  const projects = createUnknownProjects(2)
  for (const forget of [a, b, a, c]) projects.remember(forget!)
  expect(forgotten).toEqual(['b'])
  projects.delete(a!)
  projects.remember(d!)
  expect(forgotten).toEqual(['b'])
})

it.each([
  ['without a token', undefined, 401],
  ['with an unknown id', 'Bearer any', 404],
])(
  'rejected requests %s leave at most a thousand names, and no request of a project that exists',
  async (_, token, status) => {
    const mock = createMock({ clock: noon })
    const reject = async (project: string) => {
      const headers = { accept: 'application/json', ...(token && { authorization: token }) }
      const response = await mock.fetch(`/projects/${project}/users/usr_x`, { headers })
      expect(response.status).toBe(status)
      return response.headers.get('mock-request-id')
    }
    const first = await reject('first')
    expect(await reject('first')).not.toBe(first)
    await mock.project('acme').patch({})
    await reject('acme')
    for (let i = 0; i < 1000; i++) await reject(`p${i}`)
    const { items } = await mock.requests.list()
    expect(items).toHaveLength(1001)
    expect(items[0]).toMatchObject({ project: 'acme' })
    expect(await mock.project('first').requests.list()).toMatchObject({ items: [] })
    expect(await mock.project('first').violations.list()).toMatchObject({ items: [] })
    // Its requests are counted from the start again.
    expect(await reject('first')).toBe(first)
    await mock.reset()
    expect((await mock.requests.list()).items).toEqual([])
  },
)

it('a project that is created after a rejected request keeps its requests', async () => {
  const mock = createMock({ clock: noon })
  const ask = (project: string, headers = {}) => mock.fetch(`/projects/${project}/users`, { headers })
  await ask('acme')
  await ask('acme', { authorization: 'Bearer any' })
  for (let i = 0; i < 1001; i++) await ask(`p${i}`)
  expect((await mock.project('acme').requests.list()).items).toHaveLength(2)
})

it('requests without a project stay, however many unknown projects follow', async () => {
  const mock = createMock({ clock: noon, journalSize: 2000 })
  await mock.fetch('/nowhere')
  for (let i = 0; i < 1001; i++) await mock.fetch(`/projects/p${i}/users`)
  expect((await mock.requests.list()).items[0]).toMatchObject({ project: null, path: '/nowhere' })
})
