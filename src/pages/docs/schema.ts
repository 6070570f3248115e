import { html, inlineMarkdown, type Markup } from '../html.ts'
import { refName, type Schema } from './document.ts'

/** The type of a value in words. A named schema links to its section. */
export const typeOf = (schema: Schema): Markup => {
  const { $ref, anyOf, allOf, items, type, format, minimum, maximum } = schema
  if ($ref !== undefined) return html`<a href="#${refName($ref)}">${refName($ref)}</a>`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined)
    return join(
      ', ',
      schema.enum.map((one) => html`<code>${JSON.stringify(one)}</code>`),
    )
  if (anyOf !== undefined) return join(' or ', anyOf.map(typeOf))
  if (allOf !== undefined) return html`${allOf[0] && typeOf(allOf[0])}`
  if (items !== undefined) return html`array of ${typeOf(items)}`
  const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''} to ${maximum ?? ''}`
  return html`${[type ?? 'any'].flat().join(' or ')}${format === undefined ? '' : ` (${format})`}${range}`
}

/** A table of the fields of a schema. Nested fields have dots in their names. */
export const fieldsTable = (schema: Schema, caption: string): Markup => html`
  <div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">What it is</th>
        </tr>
      </thead>
      <tbody>
        ${fieldsOf(schema).map(
          ([name, field, isRequired]) =>
            html`<tr>
              <th scope="row"><code>${name}</code>${!isRequired && html` <small>optional</small>`}</th>
              <td>${typeOf(field)}</td>
              <td>${inlineMarkdown(field.description ?? '')}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>
`

type Field = readonly [name: string, schema: Schema, isRequired: boolean]

const fieldsOf = ({ properties = {}, required = [] }: Schema, prefix = ''): Field[] =>
  Object.entries(properties).flatMap(([name, field]): Field[] => {
    const inner = field.properties === undefined ? (field.anyOf ?? []).find((one) => one.properties) : field
    const own: Field = [prefix + name, field, required.includes(name)]
    return inner === undefined ? [own] : [own, ...fieldsOf(inner, `${prefix}${name}.`)]
  })

const join = (separator: string, parts: readonly Markup[]): Markup =>
  html`${parts.map((part, index) => html`${index > 0 ? separator : ''}${part}`)}`
