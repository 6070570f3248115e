// Runs a program that was drawn at random, in a test or as a process: its calls, attempts and files are a list of actions.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** @typedef {{ do: 'create' | 'ensure' | 'cancel', invoice: string, attempts: number, hasKey: boolean }} CallAction */
/**
 * `once` does its action unless the file exists, and writes the file before or after it. `lock` fails if the file exists.
 *
 * @typedef {CallAction | { do: 'once', file: string, write: 'before' | 'after', action: CallAction }
 *   | { do: 'lock' | 'unlock', file: string }} Action
 */
/**
 * What a program uses.
 *
 * @typedef {object} Machine
 * @property {(method: string, path: string, body?: object, key?: string) => Promise<Response>} send a call of payment links
 * @property {{ has: (name: string) => boolean, add: (name: string) => unknown, delete: (name: string) => unknown }} files
 */

/**
 * Runs a program.
 *
 * @param {readonly Action[]} program
 * @param {Machine} machine
 * @returns {Promise<number>} its exit code
 */
export const runProgram = async (program, machine) => {
  try {
    for (const action of program) await runAction(action, machine)
    return 0
  } catch {
    return 1
  }
}

/** @type {(action: Action, machine: Machine) => Promise<void>} */
const runAction = async (action, machine) => {
  const { files } = machine
  if (action.do === 'lock') {
    if (files.has(action.file)) throw new Error('locked')
    files.add(action.file)
  } else if (action.do === 'unlock') files.delete(action.file)
  else if (action.do === 'once') {
    if (files.has(action.file)) return
    if (action.write === 'before') files.add(action.file)
    await runAction(action.action, machine)
    files.add(action.file)
  } else
    for (let attempt = 1; ; attempt++) {
      if (await runAttempt(action, machine).catch(() => false)) return
      if (attempt === action.attempts) throw new Error('no attempt succeeded')
    }
}

/** @type {(action: CallAction, machine: Machine) => Promise<boolean>} */
const runAttempt = async ({ do: name, invoice, hasKey }, { send }) => {
  const list = async () => {
    const { items } = await (await send('GET', `?invoice=${invoice}&status=active`)).json()
    return items.map(({ id }) => id)
  }
  if (name === 'cancel') {
    const statuses = []
    for (const id of await list()) statuses.push((await send('POST', `/${id}/cancel`)).status)
    return statuses.every((status) => status === 200 || status === 409)
  }
  if (name === 'ensure' && (await list()).length > 0) return true
  const body = { invoice, type: 'partner', partner: { user: {} } }
  const { status } = await send('POST', '', body, hasKey ? invoice : undefined)
  return status === 201
}

/**
 * Creates the request of a call.
 *
 * @param {string} url the address of the mock
 * @param {Parameters<Machine['send']>} call
 */
export const createRequest = (url, [method, path, body, key]) =>
  new Request(`${url}/projects/acme/paymentLinks${path}`, {
    method,
    headers: {
      authorization: 'Bearer any',
      accept: 'application/json',
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })

/** As a process: the arguments are the program as JSON and a directory for its files. */
const main = async ([text = '[]', folder = '.']) => {
  const url = process.env.BASE_URL ?? ''
  const find = (/** @type {string} */ name) => join(folder, name)
  process.exitCode = await runProgram(JSON.parse(text), {
    send: (...call) => fetch(createRequest(url, call)),
    files: {
      has: (name) => existsSync(find(name)),
      add: (name) => writeFileSync(find(name), ''),
      delete: (name) => rmSync(find(name), { force: true }),
    },
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2))
