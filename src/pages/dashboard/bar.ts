import { html } from 'hono/html'
import type { Markup } from '../page.ts'
import { counted, time } from './parts.ts'
import type { View } from './view.ts'

/** How many projects can be chosen from at the top; the others are found among the projects. */
const most = 100

/** What stands above every view: the project that is selected, what is in it, and what time it is there. */
export const bar: View = async ({ project, steer }) => {
  const { items } = await steer.one('listProjects')
  const ids = items.map(({ id }) => id)
  const shown = ids.slice(0, most)
  if (project !== undefined && !shown.includes(project)) shown.push(project)
  return html`
    <label for="project">Project</label>
    <select id="project">
      <option value="">All projects</option>
      ${shown.map((id) => html`<option value="${id}" ${id === project && html`selected`}>${id}</option>`)}
    </select>
    <p>${project === undefined ? counted(ids.length, 'project') : await glance(project, steer)}</p>
  `
}

const glance = async (project: string, steer: Parameters<View>[0]['steer']): Promise<Markup> => {
  const { users, paymentLinks, clock } = await steer.one('retrieveProject', { params: { project } })
  return html`
    <span>${counted(users, 'user')}</span> <span>${counted(paymentLinks, 'payment link')}</span>
    <span>${time(clock.now)} ${clock.mode}</span>
  `
}
