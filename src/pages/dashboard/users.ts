import { html } from 'hono/html'
import type { User } from '../../schema/user.ts'
import { field, filter } from './fields.ts'
import { pager, pageSize } from './pager.ts'
import { badge, button, calls, chooseProject, heading, live, table, text, time } from './parts.ts'
import { given, linkTo, type View, type Visit } from './view.ts'

/** The users of a project: found, verified, deleted. */
export const users: View = async (visit) => {
  const { project, query, steer } = visit
  if (project === undefined) return chooseProject('Users')
  const { q = '' } = given(query, ['q'])
  const { values } = await steer.one('readBehaviors', { params: { project } })
  const page = await found(visit, project, q)
  return live(html`
    ${heading('Users')}
    <div class="bar">
      ${filter(
        'users',
        field({
          name: 'q',
          label: 'Email or id',
          type: 'search',
          value: q,
          hint: values.searchMatch === 'contains' ? 'Any part of the address.' : 'The whole address.',
        }),
        'Find',
      )}
    </div>
    ${table({
      caption: `Users of ${project}`,
      head: ['User', 'Email', 'Id', 'Locale', 'Created', 'Actions'],
      rows: page.items.map((user) => rowOf(user, project)),
      none: q === '' ? 'No user yet.' : 'No user has this email or id.',
    })}
    ${pager('users', page, given(query, ['q']))}
    <details>
      <summary>Add a user</summary>
      <form class="grid" ${calls('createUser', { project }, { done: 'The user is there.' })}>
        ${field({ name: 'email', label: 'Email', required: true })} ${field({ name: 'fullName', label: 'Full name' })}
        <button class="first">Add the user</button>
      </form>
    </details>
  `)
}

/** By id, or by email as the project compares them. */
const found = async ({ steer, query }: Visit, project: string, q: string) => {
  const params = { project }
  const asked = { ...given(query, ['after', 'before']), limit: String(pageSize) }
  if (!q.startsWith('usr_')) return steer.one('listUsers', { params, query: { ...asked, ...(q && { email: q }) } })
  const user = await steer.one('retrieveUser', { params: { project, user: q } }).catch(() => undefined)
  return { items: user === undefined ? [] : [user], moreItemsAfter: null, moreItemsBefore: null }
}

const rowOf = ({ id, email, emailVerified, fullName, preferredLocale, createdAt }: User, project: string) => ({
  key: id,
  cells: [
    html`<a href="${linkTo('user', { id })}">${fullName === null ? 'No name' : text(fullName)}</a>`,
    html`${text(email)} ${emailVerified ? badge('verified', 'good') : badge('not verified')}`,
    html`<code>${id}</code>`,
    preferredLocale,
    time(createdAt),
    html`<div class="actions">${verifyButton({ id, emailVerified }, project)} ${deleteButton(id, project)}</div>`,
  ],
})

/** Turns what is known of the address round. */
export const verifyButton = ({ id, emailVerified }: Pick<User, 'id' | 'emailVerified'>, project: string) =>
  button(
    'patchUser',
    { project, user: id },
    {
      label: emailVerified ? 'Unverify' : 'Verify',
      of: id,
      body: { emailVerified: !emailVerified },
      done: `The email of ${id} is ${emailVerified ? 'not verified any more' : 'verified'}.`,
    },
  )

export const deleteButton = (id: string, project: string, next?: string) =>
  button(
    'deleteUser',
    { project, user: id },
    { label: 'Delete', of: id, look: 'danger', done: `${id} is gone.`, ...(next !== undefined && { next }) },
  )
