import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { type Verb } from '../../src/schema/verb.ts'
import { verbs } from '../../src/schema/verbs.ts'
import { connectRaw } from '../node/support/raw.ts'
import { startAdmin } from '../support/steer.ts'

const documentOf = async () => (await startAdmin()).call('GET', '/openapi.json')

it('the document of the control plane is valid', async () => {
  const { status, body } = await documentOf()
  expect(status).toBe(200)
  expect(await new Validator().validate(body)).toMatchObject({ valid: true })
})

it('has every verb in the document of the control plane, for all projects and for one as its scope says', async () => {
  const { body } = await documentOf()
  const routes = Object.entries<object>(body.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const expected = Object.values<Verb>(verbs).flatMap(({ scope, method, path }) => [
    ...(scope === 'project' ? [] : [`${method} /__admin${path}`]),
    ...(scope === 'mock' ? [] : [`${method} /__admin/projects/{project}${path}`]),
  ])
  expect(routes.toSorted()).toEqual(expected.toSorted())
})

it.each(Object.entries<Verb>(verbs))(
  'says whether %s takes a body and answers one, in either scope',
  async (_, verb) => {
    const { body } = await documentOf()
    const { scope, method, path, event } = verb
    for (const prefix of [...(scope === 'project' ? [] : ['']), ...(scope === 'mock' ? [] : ['/projects/{project}'])]) {
      const operation = body.paths[`/__admin${prefix}${path}`][method.toLowerCase()]
      const answers = Object.keys(operation.responses).filter((status) => status < '300')
      expect('requestBody' in operation).toBe(verb.body !== undefined)
      expect(answers.some((status) => 'content' in operation.responses[status])).toBe(
        (verb.response ?? event) !== undefined,
      )
    }
  },
)

it('calls what is for all and what is for one by two names', async () => {
  const { body } = await documentOf()
  const paths = ['/__admin/health', '/__admin/reset', '/__admin/projects/{project}/reset']
  expect(paths.map((path) => Object.values<any>(body.paths[path])[0].operationId)).toEqual([
    'health',
    'resetForAll',
    'reset',
  ])
})

it('has the statuses that verbs have of their own', async () => {
  const { body } = await documentOf()
  const statuses = (path: string, method: string) =>
    Object.keys(body.paths[`/__admin/projects/{project}${path}`][method].responses)
  expect(statuses('/paymentLinks/{paymentLink}/pay', 'post')).toContain('202')
  expect(statuses('/users', 'get')).toEqual(expect.arrayContaining(['200', '400', '422']))
})

it.each(Object.entries<Verb>(verbs).filter(([, verb]) => verb.body !== undefined))(
  '%s refuses an unknown field with the nearest right name',
  async (_, { scope, method, path }) => {
    const { call } = await startAdmin({
      seed: {
        projects: {
          acme: { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
        },
      },
    })
    const filled = path.replace('{user}', 'usr_1').replace('{paymentLink}', 'pml_1')
    for (const prefix of [...(scope === 'project' ? [] : ['']), ...(scope === 'mock' ? [] : ['/projects/acme'])]) {
      const answer = await call(method, `${prefix}${filled}`, { mode: 'real', nonsense: 1 })
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalidBody' } })
      expect(answer.body.details).toContainEqual({
        path: 'nonsense',
        message: expect.stringMatching(/^nonsense is not a field here/),
      })
    }
  },
)

it('shows a refusal of a body that is too large as it is sent', async () => {
  const { call, url } = await startAdmin()
  const { body } = await call('GET', '/openapi.json')
  const announced = await connectRaw({ port: Number(new URL(url).port) })
  announced.send('POST /__admin/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n')
  expect((await announced.answer()).body).toContain(body.components.examples.bodyTooLarge.value.message)
})
