import { html, type Markup } from '../html.ts'
import { prose } from '../prose.ts'
import { nameIn, type Schema } from './document.ts'

/** What a value is, in words; a named schema as a link to where it stands. */
export const typeOf = (schema: Schema): Markup => {
  const { $ref, anyOf, allOf, items, type, format, minimum, maximum } = schema
  if ($ref !== undefined) return html`<a href="#${nameIn($ref)}">${nameIn($ref)}</a>`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((one) => html`<code>${JSON.stringify(one)}</code>`),
      ', ',
    )
  if (anyOf !== undefined) return joined(anyOf.map(typeOf), ' or ')
  if (allOf !== undefined) return joined(allOf.slice(0, 1).map(typeOf), '')
  if (items !== undefined) return html`array of ${typeOf(items)}`
  const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''} to ${maximum ?? ''}`
  return html`${[type ?? 'any'].flat().join(' or ')}${format === undefined ? '' : ` (${format})`}${range}`
}

/** The fields of a schema, those of objects within it with dots. */
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
              <td>${prose(field.description ?? '')}</td>
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

const joined = (parts: readonly Markup[], between: string): Markup =>
  html`${parts.map((part, index) => html`${index > 0 ? between : ''}${part}`)}`
