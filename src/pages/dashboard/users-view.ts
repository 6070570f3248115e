import { html } from '../html.ts'
import type { User } from '../../schema/user.ts'
import {
  actions,
  badge,
  addForm,
  chooseProject,
  definitionList,
  heading,
  jsonBlock,
  live,
  menu,
  table,
  text,
  time,
} from './components.ts'
import { deleteButton, emptyState, field, form, formatCommandCurl, searchForm } from './forms.ts'
import { getViewLink, pickParams, type View, findPage, pager } from './page-request.ts'

/** The users of a project. */
export const usersView: View = async (request) => {
  const { project, query, client } = request
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
    <div class="bar">
      ${searchForm('users', field('q', 'Name, email or id', { type: 'search', value: q, hint }))}
      ${addForm('Add a user', createForm(project))}
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
      empty:
        q === ''
          ? emptyState('No users yet.', formatCommandCurl(request, 'createUser', { email: 'ada@example.com' }))
          : 'No user matches.',
    })}
    ${pager('users', page, filters)}
  `)
}

const createForm = (project: string) => {
  const params = { project }
  const fields = [field('email', 'Email', { required: true }), field('fullName', 'Full name')]
  return form('Add the user', 'createUser', params, { layout: 'grid', look: 'first', fields, done: 'User created.' })
}

/** One user with all fields, and a form to change them. */
export const userView: View = async ({ project, query, client }) => {
  if (project === undefined) return chooseProject('User')
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
    ${form('Save', 'patchUser', params, { layout: 'grid', look: 'first', fields, body: {}, done: `Changed ${id}.` })}
  `
}

const renderEmail = ({ email, emailVerified }: User) =>
  html`${text(email)} ${emailVerified ? badge('verified', 'good') : badge('not verified')}`

const userButtons = ({ id, emailVerified }: User, project: string, next?: string) => {
  const params = { project, user: id }
  const verify = form(emailVerified ? 'Unverify' : 'Verify', 'patchUser', params, {
    of: id,
    body: { emailVerified: !emailVerified },
    done: `Marked the email of ${id} as ${emailVerified ? 'not verified' : 'verified'}.`,
  })
  return [verify, deleteButton('deleteUser', params, 'user', id, next)]
}
