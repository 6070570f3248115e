import type { Dashboard } from '../core/pages/page-options.ts'

/** The dashboard, for `createCore`. Its code is loaded with the first page. */
export const dashboard: Dashboard = {
  getPath: (project) => `__admin/${project === undefined ? '' : `?project=${encodeURIComponent(project)}`}`,
  hasPath: (path) => /^\/__admin(?:\/(?:dashboard\/[^/]+)?)?$/.test(path),
  load: async () => (await import('./mount-dashboard.ts')).createDashboard,
}
