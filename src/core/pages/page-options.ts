import type { Hono } from 'hono'
import type { CommandClient } from '../control/commands.ts'
import type { ConnectionEnv } from '../http/transport.ts'
import type { PaymentPageOptions } from './payment.ts'

export interface PagesOptions {
  readonly payment: PaymentPageOptions
  /** The path of the sandbox, such as `/@checkout-1`, or an empty string. */
  readonly prefix: string
  /** The part before `/projects` in the paths of a client. */
  readonly clientPath: string
  /** Returns a client of the control API whose links have this origin. */
  readonly createClientFor: (origin: string) => CommandClient
  readonly openApi: () => Promise<unknown>
  /** Returns the text that ids of new projects are derived from. */
  readonly idSeed: () => string
  readonly listSandboxNames: () => readonly string[]
  readonly dashboard: Dashboard | undefined
}

/** The dashboard, as the core sees it. */
export interface Dashboard {
  /** Returns the path of its page, relative to `/`: of a project, or of all. */
  readonly getPath: (project?: string) => string
  /** Returns true for a path of its pages, which are matched before the control API. */
  readonly hasPath: (path: string) => boolean
  /** Loads the function that mounts its pages. */
  readonly load: () => Promise<MountPages>
}

export type MountPages = <E extends ConnectionEnv>(app: Hono<E>, options: PagesOptions) => void
