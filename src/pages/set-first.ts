import { variablesText } from '../wire/curl.ts'
import { html, type Markup } from './html.ts'

/** The variables to set before lines of the shell work, if they read any. */
export const setFirst = (lines: readonly string[]): Markup | undefined => {
  const variables = variablesText(lines)
  return variables === undefined ? undefined : html`<p>Set ${variables} first.</p>`
}
