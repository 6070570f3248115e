import { html } from '../html.ts'
import type { User } from '../../schema/user.ts'
import { field, filter } from './fields.ts'
import { pager, pageSize } from './pager.ts'
import { containsText, search } from './search.ts'
import { badge, button, calls, chooseProject, heading, live, table, text, time } from './parts.ts'
import { given, linkTo, type View, type Visit } from './view.ts'

/** The users of a project: found, verified, deleted. */
export const users: View = async (visit) => {
  const { project, query } = visit
  if (project === undefined) return chooseProject('Users')
  const { q = '' } = given(query, ['q'])
  const page = await found(visit, project, q)
  return live(html`
    ${heading('Users', project)}
    <div class="bar">
      ${filter(
        'users',
        field({
          name: 'q',
          label: 'Name, email or id',
          type: 'search',
          value: q,
          hint: 'Any part of it, in upper or lower case.',
        }),
        'Find',
      )}
    </div>
    ${table({
      caption: `Users of ${project}`,
      head: ['User', 'Email', 'Id', 'Locale', 'Created', 'Actions'],
      rows: page.items.map((user) => rowOf(user, project)),
      none: q === '' ? 'No user yet.' : 'No user has this in the name, email or id.',
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

const found = ({ steer, query }: Visit, project: string, q: string) => {
  const cursors = given(query, ['after', 'before'])
  const list = (asked: object) => steer.call('listUsers', { params: { project }, query: asked })
  if (q === '') return list({ ...cursors, limit: String(pageSize) })
  return search(list, cursors, ({ id, email, fullName }) => containsText([id, email, fullName], q))
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
    {
      label: 'Delete',
      of: id,
      look: 'danger',
      done: `${id} is deleted.`,
      confirm: `Delete the user ${id}?`,
      ...(next !== undefined && { next }),
    },
  )
