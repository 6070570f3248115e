import { table } from '../table.ts'
import { curlBlock, docsDocument, html, inlineMarkdown, type Markup, storySteps, variablesNote } from '../html.ts'
import {
  createCurlExample,
  type DocumentedOperation,
  getRefName,
  listOperations,
  type OpenApiDocument,
  type PageExamples,
  type Schema,
} from './documented-operations.ts'

export const docs = (document: OpenApiDocument, examples: PageExamples): Markup => {
  const { story } = examples
  const operations = listOperations(document).map((operation) => ({
    ...operation,
    curl: createCurlExample(operation, examples),
  }))
  return docsDocument({
    title: document.info.title,
    script: 'docs/script.js',
    body: html`
      <header>
        <p><a href="./">paylink-mock</a> ${document.info.version}</p>
        <h1>${document.info.title}</h1>
        ${paragraphs(document.info.description)} ${variablesNote([...story, ...operations].flatMap(({ curl }) => curl))}
        <p>For tools: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1)</p>
      </header>
      <nav aria-label="Operations">
        ${document.tags.map(
          ({ name }) =>
            html`<h2>${name}</h2>
              <ul>
                ${operations.filter(({ tags }) => tags.includes(name)).map(navItem)}
              </ul>`,
        )}
      </nav>
      <main>
        <section id="story">
          <h2>The payment story</h2>
          <p>A first call, a payment and its result. The <a href="./">start page</a> shows the same steps.</p>
          ${storySteps(story)}
        </section>
        ${operations.map(operationSection)} ${sharedErrors(document)} ${schemas(document)}
      </main>
    `,
  })
}

// A part that begins with a dash is a list; its items can have several lines.
const paragraphs = (text: string): Markup =>
  html`${text.split('\n\n').map((part) =>
    part.startsWith('- ')
      ? html`<ul>
          ${part
            .slice(2)
            .split('\n- ')
            .map((item) => html`<li>${inlineMarkdown(item)}</li>`)}
        </ul>`
      : html`<p>${inlineMarkdown(part)}</p>`,
  )}`

const navItem = ({ operationId, summary, method, path }: DocumentedOperation): Markup =>
  html`<li><a href="#${operationId}">${summary}</a> <code>${method} ${path}</code></li>`

const operationSection = (operation: DocumentedOperation & { readonly curl: readonly string[] }): Markup => {
  const { operationId, summary, method, path, description, parameters, body, curl } = operation
  return html`
    <section id="${operationId}">
      <h2>${summary}</h2>
      <p class="route"><b>${method}</b> <code>${path}</code></p>
      <p>${inlineMarkdown(description)}</p>
      ${curlBlock(summary, curl)}
      <h3>Parameters</h3>
      <ul>
        ${parameters.map(
          ({ name, in: place, schema, description: about = '' }) =>
            html`<li><code>${name}</code> <small>${place}</small> ${formatType(schema)}: ${inlineMarkdown(about)}</li>`,
        )}
      </ul>
      ${body && [html`<h3>Body</h3>`, fieldsTable(body, `Body of: ${summary}`)]}
      <h3>Responses</h3>
      <ul>
        ${Object.entries(operation.responses).map(([status, response]) =>
          '$ref' in response ? '' : html`<li><b>${status}</b> ${responseText(response)}</li>`,
        )}
        <li><a href="#errors">Errors of every operation</a></li>
      </ul>
    </section>
  `
}

const responseText = (response: Exclude<DocumentedOperation['responses'][string], { $ref: string }>): Markup => {
  const { description, content } = response
  const schema = content?.['application/json']?.schema
  return description.startsWith('- ')
    ? paragraphs(description)
    : html`${inlineMarkdown(description)} ${schema && formatType(schema)}`
}

const errorSchemas: readonly string[] = ['ErrorObject', 'Problem']

const sharedErrors = ({ components: { responses, schemas: all } }: OpenApiDocument): Markup => html`
  <section id="errors">
    <h2>Errors of every operation</h2>
    ${Object.entries(responses).map(([name, { description }]) => [html`<h3>${name}</h3>`, paragraphs(description)])}
    ${errorSchemas.map((name) => {
      const schema = all[name]
      return schema && [html`<h3 id="${name}">${name}</h3>`, fieldsTable(removeCodes(schema), name)]
    })}
  </section>
`

// The sections above list the codes with their meanings.
const removeCodes = (schema: Schema): Schema => {
  const { enum: _, ...code } = schema.properties?.code ?? {}
  return { ...schema, properties: { ...schema.properties, code } }
}

const schemas = ({ components }: OpenApiDocument): Markup => html`
  ${Object.entries(components.schemas)
    .filter(([name]) => !name.endsWith('Body') && !errorSchemas.includes(name))
    .map(
      ([name, schema]) =>
        html`<section id="${name}">
          <h2>${name}</h2>
          ${fieldsTable(schema, name)}
        </section>`,
    )}
`

const formatType = (schema: Schema): Markup => {
  const { $ref, anyOf, allOf, items, type, format, minimum, maximum } = schema
  if ($ref !== undefined) return html`<a href="#${getRefName($ref)}">${getRefName($ref)}</a>`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined)
    return joinMarkup(
      ', ',
      schema.enum.map((enumValue) => html`<code>${JSON.stringify(enumValue)}</code>`),
    )
  if (anyOf !== undefined) return joinMarkup(' or ', anyOf.map(formatType))
  if (allOf !== undefined) return html`${allOf[0] && formatType(allOf[0])}`
  if (items !== undefined) return html`array of ${formatType(items)}`
  const numberRange = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''} to ${maximum ?? ''}`
  return html`${[type ?? 'any'].flat().join(' or ')}${format === undefined ? '' : ` (${format})`}${numberRange}`
}

const fieldsTable = (schema: Schema, caption: string): Markup =>
  table({
    caption,
    items: listFields(schema),
    getKey: ([name]) => name,
    columns: {
      Field: ([name, , isRequired]) => html`<code>${name}</code>${!isRequired && html` <small>optional</small>`}`,
      Type: ([, field]) => formatType(field),
      'What it is': ([, field]) => inlineMarkdown(field.description ?? ''),
    },
    empty: 'No fields.',
    hasScrollStop: true,
  })

type SchemaField = readonly [name: string, schema: Schema, isRequired: boolean]

const listFields = ({ properties = {}, required = [] }: Schema, prefix = ''): SchemaField[] =>
  Object.entries(properties).flatMap(([name, field]): SchemaField[] => {
    const nestedSchema = field.properties === undefined ? (field.anyOf ?? []).find((one) => one.properties) : field
    const ownField: SchemaField = [prefix + name, field, required.includes(name)]
    return nestedSchema === undefined ? [ownField] : [ownField, ...listFields(nestedSchema, `${prefix}${name}.`)]
  })

const joinMarkup = (separator: string, parts: readonly Markup[]): Markup =>
  html`${parts.map((part, index) => html`${index > 0 ? separator : ''}${part}`)}`
