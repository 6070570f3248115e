import type { ControlClient } from '../schema/command.ts'
import type { SandboxSummary } from '../schema/summaries.ts'
import { ignoreError, withCallerStack } from './errors.ts'
import { requireSandboxName, checkCalls } from './check-arguments.ts'
import { type Control, createControl } from './control.ts'

/** A sandbox: a mock of its own, with its own address, state, clock, faults and journal. */
export interface Sandbox extends Control, AsyncDisposable {
  readonly name: string
  /** The address of the sandbox. Undefined while an embedded mock does not listen. */
  readonly url: string | undefined
  /** Deletes the sandbox. Its requests end as with a reset. */
  dispose(): Promise<void>
}

/** Control of a mock with its sandboxes. */
export interface ServerControl extends Control {
  /**
   * Returns a sandbox: a mock of its own below `/@name`. It starts from the seed on first use.
   *
   * @throws MockError `invalidOptions` for an invalid name
   */
  sandbox(name: string): Sandbox
  readonly sandboxes: {
    list(): Promise<readonly SandboxSummary[]>
    /** Deletes a sandbox; without an argument, all of them. Rejects with `sandboxNotFound` for an unknown name. */
    delete(name?: string): Promise<void>
  }
}

/** Returns the part of a server's control that concerns sandboxes. */
export const createSandboxMethods = <S extends Sandbox>(
  given: ControlClient,
  sandbox: (name: string) => S,
): { sandbox(name: string): S } & Pick<ServerControl, 'sandboxes'> => {
  const client = checkCalls(given)
  return withCallerStack({
    sandbox: (name: string) => {
      requireSandboxName(name)
      return sandbox(name)
    },
    sandboxes: {
      list: () => client.call('listSandboxes').then(({ items }) => items),
      // An argument that is undefined is a mistake and must not delete all.
      delete: (...named: [name?: string]) =>
        named.length === 0
          ? client.call('deleteSandboxes')
          : client.call('deleteSandbox', { params: { sandbox: named[0]! } }),
    },
  })
}

/** Returns the control of a sandbox, which `server` deletes. */
export const createSandbox = (server: ControlClient, name: string, client: ControlClient): Omit<Sandbox, 'url'> => {
  // It may never have been used, or have been evicted.
  const dispose = () =>
    server.call('deleteSandbox', { params: { sandbox: name } }).catch(ignoreError('sandboxNotFound'))
  return { ...createControl(client), name, ...withCallerStack({ dispose, [Symbol.asyncDispose]: dispose }) }
}
