import { shortened } from '../../schema/problem.ts'
import { html, type Markup } from '../html.ts'
import { layout } from './layout.ts'

/** The page for an unknown path. Its links are relative, since a proxy may put a prefix before them. */
export const notFound = (path: string): Markup => {
  const root = '../'.repeat(path.split('/').length - 2) || './'
  return layout({
    title: 'Not found',
    root,
    body: html`
      <main>
        <h1>Not found</h1>
        <p>There is nothing at <code>${shortened(path, 500)}</code>.</p>
        <ul>
          <li><a href="${root}">What this server is</a></li>
          <li><a href="${root}__admin/">Dashboard</a></li>
          <li><a href="${root}docs">Interface</a></li>
        </ul>
      </main>
    `,
  })
}
