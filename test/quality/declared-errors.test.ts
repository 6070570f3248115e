import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { type ErrorCode, errorDefinitions } from '../../src/schema/error.ts'
import { readJson } from '../support/read.ts'

const src = new URL('../../src/', import.meta.url)

/** Returns the codes of the errors that the files below these paths create. */
const listCreated = (...paths: readonly string[]): ErrorCode[] => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && paths.some((path) => file.startsWith(path)))
    .map((file) => readFileSync(new URL(file, src), 'utf8'))
  const names = files.flatMap((text) => [...text.matchAll(/\berrors\.(\w+)/g)].map(([, name]) => name as ErrorCode))
  return [...new Set(names)].filter((name) => name in errorDefinitions)
}

/** Returns the codes of the errors in the responses of an OpenAPI document, and all codes of its error schema. */
const readDeclared = async (path: string) => {
  const { paths, components } = await readJson(createMock().fetch(path))
  const operations: any[] = Object.values<object>(paths).flatMap((item) => Object.values(item))
  const resolve = (response: any) =>
    '$ref' in response ? components.responses[response.$ref.split('/').at(-1)] : response
  const ofOperations = operations.map(({ responses }) =>
    Object.values<object>(responses).flatMap((response) =>
      Object.keys(resolve(response).content?.['application/json']?.examples ?? {}),
    ),
  )
  return { ofOperations, all: new Set<string>(components.schemas.ErrorObject.properties.code.enum) }
}

const api = await readDeclared('/openapi.json')
const control = await readDeclared('/__admin/openapi.json')

/** The errors of calls of the library and of a Worker, which have no document. */
const ofLibrary = ['invalidOptions', 'stateUnreadable', 'tooManySnapshots']

it('each error that the code can serve is declared by a document', () => {
  const undeclared = listCreated('').filter((code) => !api.all.has(code) && !control.all.has(code))
  expect(undeclared.toSorted()).toEqual(ofLibrary)
})

it.each([
  ['the OpenAPI document', api, ['api/']],
  ['the document of the control API', control, ['control/']],
])('%s declares the errors of its own code and of what all requests pass', (_, { all }, own) => {
  const served = listCreated(...own, 'http/', 'openapi/', 'node/server', 'mock/routes')
  expect(served).toContain('requestTimeout')
  expect(served.filter((code) => !all.has(code) && !ofLibrary.includes(code))).toEqual([])
})

it.each([
  ['the OpenAPI document', api],
  ['the document of the control API', control],
])('%s declares the errors of the server for each operation', (_, { ofOperations }) => {
  const anywhere = ['malformedRequest', 'requestTimeout', 'headersTooLarge', 'shuttingDown', 'internal']
  for (const codes of ofOperations) expect(codes).toEqual(expect.arrayContaining(anywhere))
})
