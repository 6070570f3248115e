/** The errors of control commands show the line of the test that called them. */
import { expect, it, onTestFinished } from 'vitest'
import { connect, MockError } from '../../src/client/index.ts'
import { createMock } from '../../src/node/index.ts'
import { describeControl } from '../support/control.ts'
import { errors } from '../../src/schema/error.ts'

/** The functions of a control, with those of a project, a sandbox and a fault, by their path. */
const listMethods = (api: object, at = ''): [path: string, method: (...args: unknown[]) => unknown][] =>
  Reflect.ownKeys(api).flatMap((key) => {
    const path = `${at}.${String(key)}`
    const value: unknown = Reflect.get(api, key)
    if (typeof value === 'object' && value !== null) return listMethods(value, path)
    return typeof value === 'function' ? [[path, value as (...args: unknown[]) => unknown]] : []
  })

const getCallingLine = ({ stack = '' }: Error) => stack.split('\n').find((line) => line.startsWith('    at '))
const catchError = async (call: () => unknown): Promise<Error> => {
  try {
    await call()
  } catch (error) {
    return error as Error
  }
  throw new Error('The call did not reject.')
}

/** A control whose calls all reject, and a fault that was created before. */
const connectToRejecting = async () => {
  const fault = { id: 'flt_1', effect: { status: 503 }, hits: 0, remaining: 1, project: null }
  const responses = [Response.json(fault)]
  const rejection = new MockError('adminTokenMissing', 'The control API requires a token.', { hint: 'Send one.' })
  const fetch = async () => responses.shift() ?? Response.json(rejection, { status: 401 })
  const mock = connect('http://mock', { fetch })
  return { mock, fault: await mock.faults.add({ effect: { status: 503 } }) }
}

const { mock, fault } = await connectToRejecting()
const methods = [
  ...listMethods(mock, 'mock'),
  ...listMethods(mock.project('acme'), 'project'),
  ...listMethods(mock.sandbox('own'), 'sandbox'),
  ...listMethods(fault, 'fault'),
].filter(([path]) => !/^\w+\.(project|sandbox|events)$/.test(path))

it.each(methods)('a rejected call of %s shows the line of its caller first', async (_, method) => {
  const error = await catchError(() => method('x'))
  expect(error).toBeInstanceOf(MockError)
  expect(getCallingLine(error)).toContain('caller.test.ts')
})

it.each(['mock', 'project'])('a rejected event subscription of a %s shows the line of its reader', async (which) => {
  const events = (which === 'mock' ? mock : mock.project('acme')).events()[Symbol.asyncIterator]()
  expect(getCallingLine(await catchError(() => events.next()))).toContain('caller.test.ts')
})

it('covers the control', () => expect(methods.length).toBeGreaterThan(100))

describeControl('an error of a control command', (start) => {
  it('shows the caller, the message and the hint', async () => {
    const { control } = await start()
    await control.project('acme').snapshots.save('full')
    const restoreUnknown = () => control.project('acme').snapshots.restore('empty')
    const { stack } = await catchError(restoreUnknown)
    const [first, second, third] = stack!.split('\n')
    const { message, hint } = errors.snapshotNotFound({ name: 'empty', project: 'acme', known: ['full'] })
    expect(first).toBe(`MockError: ${message}`)
    expect(second).toBe(hint)
    expect(third).toMatch(/at restoreUnknown \(.*caller\.test\.ts:\d+:\d+\)/)
  })
})

it('an error without facts has none, in process and over HTTP', async () => {
  const embedded = createMock()
  onTestFinished(() => embedded.close())
  for (const control of [embedded, connect((await embedded.listen()).url)])
    expect(await catchError(() => control.faults.remove('flt_none'))).toMatchObject({ facts: undefined })
})

it('an error of fetch is the cause of the error, which has the line of the caller', async () => {
  const failure = new TypeError('fetch failed')
  const failing = connect('http://mock', { fetch: () => Promise.reject(failure) })
  const error = await catchError(() => failing.project('acme').summary())
  expect(error.cause).toBe(failure)
  expect(error.stack).toContain('caller.test.ts')
})

it.each([
  ['a text', 'text'],
  ['nothing', undefined],
  ['a frozen error', Object.freeze(new Error('frozen'))],
])('a fetch that rejects with %s rejects the call with it', async (_, reason) => {
  const failing = connect('http://mock', { fetch: () => Promise.reject(reason) })
  await expect(failing.projects().catch((error: unknown) => [error])).resolves.toEqual([reason])
})

it('the error of an invalid argument shows the line of the caller', async () => {
  const error = await catchError(() =>
    createMock()
      .project('acme')
      .users.get(undefined as never),
  )
  expect(getCallingLine(error)).toContain('caller.test.ts')
})
