import { html } from '../html.ts'
import type { User } from '../../schema/user.ts'
import { actions, addForm, badge, definitionList, heading, jsonBlock, menu, table, text, time } from './components.ts'
import { deleteButton, emptyState, field, form, searchField, searchForm } from './forms.ts'
import { getViewLink, pickParams, type ProjectRequest, type View, findPage, pager } from './page-request.ts'

export const usersView: View<ProjectRequest> = async (request) => {
  const { project, query, client } = request
  const filters = pickParams(query, ['q'])
  const { q = '' } = filters
  const page = await findPage(
    query,
    (listQuery) => client.call('listUsers', { params: { project }, query: listQuery }),
    ({ id, email, fullName }) => [id, email, fullName],
  )
  const empty = emptyState('No users yet.', request, 'createUser', { email: 'ada@example.com' })
  return html`
    ${heading('Users', project)}
    <div class="bar">
      ${searchForm('users', searchField('Name, email or id', q))} ${addForm('Add a user', createForm(project))}
    </div>
    ${table({
      caption: `Users of ${project}`,
      items: page.items,
      getKey: ({ id }) => id,
      columns: {
        User: ({ id, fullName }) =>
          html`<a href="${getViewLink('user', { id })}">${fullName === null ? 'No name' : text(fullName)}</a>`,
        Email: renderEmail,
        Id: ({ id }) => html`<code>${id}</code>`,
        Locale: ({ preferredLocale }) => preferredLocale,
        Created: ({ createdAt }) => time(createdAt),
        Actions: (user) => menu(user.id, userButtons(user, project)),
      },
      empty: q === '' ? empty : 'No user matches.',
    })}
    ${pager('users', page, filters)}
  `
}

const createForm = (project: string) => {
  const fields = [field('email', 'Email', { required: true }), field('fullName', 'Full name')]
  return form('Add the user', 'createUser', {
    params: { project },
    layout: 'grid',
    look: 'first',
    fields,
    done: 'User created.',
  })
}

export const userView: View<ProjectRequest> = async ({ project, query, client }) => {
  const params = { project, user: query.get('id') ?? '' }
  const found = await client.call('retrieveUser', { params })
  const { id, email, fullName, birthday, preferredLocale, metadata, createdAt } = found
  const fields = [
    field('email', 'Email', { value: email, required: true }),
    field('fullName', 'Full name', { value: fullName, whenEmpty: null }),
    field('birthday', 'Birthday', { value: birthday, whenEmpty: null, placeholder: '1990-12-31' }),
    field('preferredLocale', 'Preferred locale', { value: preferredLocale, required: true }),
    field('metadata', 'Metadata (JSON)', { type: 'json', value: JSON.stringify(metadata, null, 2), whenEmpty: {} }),
  ]
  return html`
    <p><a href="#users">All users</a></p>
    ${heading(fullName ?? email, project)}
    ${definitionList({
      Id: html`<code>${id}</code>`,
      Email: renderEmail(found),
      Created: time(createdAt),
      Metadata: jsonBlock(metadata),
    })}
    ${actions(userButtons(found, project, '#users'))}
    <h2>Change</h2>
    ${form('Save', 'patchUser', { params, layout: 'grid', look: 'first', fields, body: {}, done: `Changed ${id}.` })}
  `
}

const renderEmail = ({ email, emailVerified }: User) =>
  html`${text(email)} ${emailVerified ? badge('verified', 'good') : badge('not verified')}`

const userButtons = ({ id, emailVerified }: User, project: string, next?: string) => {
  const params = { project, user: id }
  const verify = form(emailVerified ? 'Unverify' : 'Verify', 'patchUser', {
    params,
    of: id,
    body: { emailVerified: !emailVerified },
    done: `Marked the email of ${id} as ${emailVerified ? 'not verified' : 'verified'}.`,
  })
  return [verify, deleteButton('deleteUser', params, 'user', id, next)]
}
