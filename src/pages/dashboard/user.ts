import { html } from '../html.ts'
import { field } from './fields.ts'
import { badge, calls, chooseProject, heading, json, text, time } from './parts.ts'
import type { View } from './view.ts'
import { deleteButton, verifyButton } from './users.ts'

/** One user with all its fields, and how they are set. */
export const user: View = async ({ project, query, steer }) => {
  if (project === undefined) return chooseProject('User')
  const row = await steer.call('retrieveUser', { params: { project, user: query.get('id') ?? '' } })
  const { id, email, emailVerified, fullName, birthday, preferredLocale, metadata, createdAt } = row
  return html`
    <p><a href="#users">All users</a></p>
    ${heading(fullName ?? email, project)}
    <dl>
      <div>
        <dt>Id</dt>
        <dd><code>${id}</code></dd>
      </div>
      <div>
        <dt>Email</dt>
        <dd>${text(email)} ${emailVerified ? badge('verified', 'good') : badge('not verified')}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>${time(createdAt)}</dd>
      </div>
      <div>
        <dt>Metadata</dt>
        <dd>${json(metadata)}</dd>
      </div>
    </dl>
    <div class="actions">${verifyButton(row, project)} ${deleteButton(id, project, '#users')}</div>
    <h2>Change</h2>
    <form class="grid" ${calls('patchUser', { project, user: id }, { done: `${id} is changed.`, body: {} })}>
      ${field({ name: 'email', label: 'Email', value: email, required: true })}
      ${field({ name: 'fullName', label: 'Full name', value: fullName, nullable: true })}
      ${field({ name: 'birthday', label: 'Birthday', value: birthday, nullable: true, placeholder: '1990-12-31' })}
      ${field({ name: 'preferredLocale', label: 'Preferred locale', value: preferredLocale, required: true })}
      ${field({ name: 'metadata', label: 'Metadata (JSON)', type: 'json', value: JSON.stringify(metadata, null, 2) })}
      <button class="first">Save</button>
    </form>
  `
}
