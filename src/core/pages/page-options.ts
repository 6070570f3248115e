import type { CommandClient } from '../control/commands.ts'
import type { RoutePrefixes } from '../schema/error-definition.ts'
import type { PagesApp } from './html.ts'
import type { PaymentPageOptions } from './payment.ts'

export interface PagesOptions {
  readonly payment: PaymentPageOptions
  readonly prefixes: RoutePrefixes
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
  readonly load: () => Promise<(options: PagesOptions) => PagesApp>
}
