import { shortened } from '../../schema/problem.ts'
import { html, type Markup } from '../html.ts'
import { clockTime, counted } from './parts.ts'
import { isAddressable, type View } from './view.ts'

/** How many projects can be chosen from at the top; the others are found among the projects. */
const most = 100

/** What stands above every view: the project that is selected, what is in it, and what time it is there. */
export const bar: View = async ({ project, steer }) => {
  const { items } = await steer.call('listProjects')
  const ids = items.map(({ id }) => id)
  const shown = ids.filter(isAddressable).slice(0, most)
  if (project !== undefined && !shown.includes(project)) shown.push(project)
  return html`
    <label for="project">Project</label>
    <select id="project" ${ids.length === 1 && html`data-only="${ids[0]!}"`}>
      <option value="">All projects</option>
      ${shown.map((id) => html`<option value="${id}" ${id === project && html`selected`}>${shortened(id, 100)}</option>`)}
    </select>
    <p>${project === undefined ? counted(ids.length, 'project') : await glance(project, steer)}</p>
  `
}

const glance = async (project: string, steer: Parameters<View>[0]['steer']): Promise<Markup> => {
  const { users, paymentLinks, clock } = await steer.call('retrieveProject', { params: { project } })
  return html`
    <span>${counted(users, 'user')}</span> <span>${counted(paymentLinks, 'payment link')}</span>
    <span>${clockTime(clock)} ${clock.mode}</span>
  `
}
