import { zValidator } from '@hono/zod-validator'
import type { Hono } from 'hono'
import * as z from 'zod'
import { Refusal } from '../../schema/error.ts'
import { asking, problemsOf, problemsText } from '../../schema/problem.ts'
import { ProjectId } from '../../schema/seed.ts'
import type { ConnectionEnv } from '../../wire/connection.ts'
import { routeNotFound } from '../../wire/route.ts'
import { mountGet, type PageContext } from '../get.ts'
import { guardsOf, textResponse } from '../headers.ts'
import type { Steer } from './view.ts'

export interface DashboardOptions {
  /** Calls the control plane as one who came in under this origin. */
  readonly steerFrom: (origin: string) => Steer
  /** Keeps everybody off who may not steer the mock. */
  readonly defend: (c: PageContext) => void
  /** The same for what holds no data, since a browser that opens an address sends no token. */
  readonly defendWithoutToken: (c: PageContext) => void
}

const at = '/__admin/'

const guards = guardsOf([
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
])

/** Mounts the dashboard. Its code is loaded when it is first asked for: most mocks never show it. */
export const mountDashboard = <E extends ConnectionEnv>(app: Hono<E>, options: DashboardOptions): void => {
  const { defend, defendWithoutToken } = options
  const open = (path: string, answer: () => Promise<Response>) =>
    mountGet(app, at + path, answer, { guard: defendWithoutToken })
  open('', async () => {
    const { shell } = await import('./shell.ts')
    return textResponse('html', String(await shell()).trimStart(), guards)
  })
  open('dashboard/style.css', async () => textResponse('css', (await import('./style.ts')).dashboardStyle))
  open('dashboard/script.js', async () => textResponse('js', (await import('./script.ts')).script))
  // Addresses within the page are relative, so that a proxy may put a prefix before all of them.
  for (const [path, target] of [
    ['/__admin', '__admin/'],
    ['/admin', '__admin/'],
    ['/admin/', '../__admin/'],
  ] as const)
    mountGet(
      app,
      path,
      (c) => new Response(null, { status: 307, headers: { location: `${target}${new URL(c.req.url).search}` } }),
      { guard: defendWithoutToken },
    )
  mountGet(app, `${at}dashboard/:view`, (c) => answerView(c, options), { guard: defend, query: selected })
}

/** The project that is selected, if one is. */
const selected = zValidator(
  'query',
  z.object({ project: ProjectId.optional() }),
  (result) => {
    if (result.success) return
    const problems = problemsOf(result.error)
    throw new Refusal('invalidQuery', problemsText('The query', problems), { details: problems, status: 422 })
  },
  { validationFunction: (query, value) => query.safeParse(value, asking) },
)

const answerView = async (c: PageContext, { steerFrom }: DashboardOptions): Promise<Response> => {
  const { views } = await import('./views.ts')
  const view = views.get(c.req.param('view') ?? '')
  if (view === undefined) throw routeNotFound(c.req.method, c.req.path, [])
  const { origin, searchParams: query } = new URL(c.req.url)
  const project = query.get('project') ?? undefined
  const markup = await view({ project, query, origin, steer: steerFrom(origin) })
  return textResponse('html', String(markup), guards)
}
