/** The paths of the dashboard. Only its views show data, so only they need the token. */
export const dashboardPaths = {
  page: '/__admin/',
  style: '/__admin/dashboard/style.css',
  script: '/__admin/dashboard/script.js',
  /** The path before the name of a view. */
  views: '/__admin/dashboard/',
}
