import type { Hono } from 'hono'
import type { ConnectionEnv } from '../wire/connection.ts'
import { emptyResponse } from '../wire/respond.ts'
import { type DashboardOptions, mountDashboard } from './dashboard/mount.ts'
import { type DocsOptions, mountDocs } from './docs/mount.ts'
import { mountPaymentPage, type PaymentPageOptions } from './payment.ts'

export interface PagesOptions {
  readonly payment: PaymentPageOptions
  readonly dashboard: DashboardOptions
  readonly docs: DocsOptions
}

/** Mounts what a person sees. */
export const mountPages = <E extends ConnectionEnv>(app: Hono<E>, { payment, dashboard, docs }: PagesOptions): void => {
  mountPaymentPage(app, payment)
  mountDashboard(app, dashboard)
  mountDocs(app, docs)
  // Browsers ask for it by themselves.
  app.get('/favicon.ico', () => emptyResponse(204))
}
