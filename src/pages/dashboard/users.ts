import { html } from '../html.ts'
import type { User } from '../../schema/user.ts'
import { badge, chooseProject, definitionList, heading, json, live, table, text, time } from './components.ts'
import { actionAttributes, button, deleteButton, field, searchForm } from './forms.ts'
import { linkTo, pickParams, type View } from './page-request.ts'
import { findPage, pager } from './paging.ts'

/** The users of a project. */
export const users: View = async ({ project, query, client }) => {
  if (project === undefined) return chooseProject('Users')
  const filters = pickParams(query, ['q'])
  const { q = '' } = filters
  const page = await findPage(
    query,
    (listQuery) => client.call('listUsers', { params: { project }, query: listQuery }),
    ({ id, email, fullName }) => [id, email, fullName],
  )
  const hint = 'Any part of it, in upper or lower case.'
  return live(html`
    ${heading('Users', project)}
    <div class="bar">${searchForm('users', field('q', 'Name, email or id', { type: 'search', value: q, hint }))}</div>
    ${table({
      caption: `Users of ${project}`,
      head: ['User', 'Email', 'Id', 'Locale', 'Created', 'Actions'],
      rows: page.items.map((user) => rowOf(user, project)),
      none: q === '' ? 'No user yet.' : 'No user has this in the name, email or id.',
    })}
    ${pager('users', page, filters)}
    <details>
      <summary>Add a user</summary>
      <form class="grid" ${actionAttributes('createUser', { project }, { done: 'The user is there.' })}>
        ${field('email', 'Email', { required: true })} ${field('fullName', 'Full name')}
        <button class="first">Add the user</button>
      </form>
    </details>
  `)
}

const rowOf = (user: User, project: string) => ({
  key: user.id,
  cells: [
    html`<a href="${linkTo('user', { id: user.id })}">${user.fullName === null ? 'No name' : text(user.fullName)}</a>`,
    emailOf(user),
    html`<code>${user.id}</code>`,
    user.preferredLocale,
    time(user.createdAt),
    html`<div class="actions">${userButtons(user, project)}</div>`,
  ],
})

/** One user with all fields, and a form to change them. */
export const user: View = async ({ project, query, client }) => {
  if (project === undefined) return chooseProject('User')
  const found = await client.call('retrieveUser', { params: { project, user: query.get('id') ?? '' } })
  const { id, email, fullName, birthday, preferredLocale, metadata, createdAt } = found
  const done = `${id} is changed.`
  return html`
    <p><a href="#users">All users</a></p>
    ${heading(fullName ?? email, project)}
    ${definitionList([
      ['Id', html`<code>${id}</code>`],
      ['Email', emailOf(found)],
      ['Created', time(createdAt)],
      ['Metadata', json(metadata)],
    ])}
    <div class="actions">${userButtons(found, project, '#users')}</div>
    <h2>Change</h2>
    <form class="grid" ${actionAttributes('patchUser', { project, user: id }, { done, body: {} })}>
      ${field('email', 'Email', { value: email, required: true })}
      ${field('fullName', 'Full name', { value: fullName, nullable: true })}
      ${field('birthday', 'Birthday', { value: birthday, nullable: true, placeholder: '1990-12-31' })}
      ${field('preferredLocale', 'Preferred locale', { value: preferredLocale, required: true })}
      ${field('metadata', 'Metadata (JSON)', { type: 'json', value: JSON.stringify(metadata, null, 2) })}
      <button class="first">Save</button>
    </form>
  `
}

const emailOf = ({ email, emailVerified }: User) =>
  html`${text(email)} ${emailVerified ? badge('verified', 'good') : badge('not verified')}`

const userButtons = ({ id, emailVerified }: User, project: string, next?: string) => {
  const params = { project, user: id }
  return html`${button(emailVerified ? 'Unverify' : 'Verify', 'patchUser', params, {
    of: id,
    body: { emailVerified: !emailVerified },
    done: `The email of ${id} is ${emailVerified ? 'not verified any more' : 'verified'}.`,
  })}
  ${deleteButton('deleteUser', params, 'user', id, next)}`
}
