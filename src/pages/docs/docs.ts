import { html, inlineMarkdown, type Markup, variablesNote } from '../html.ts'
import { curlExample, type Sample } from './curl-examples.ts'
import {
  type Document,
  type Operation,
  type Parameter,
  type ResponseObject,
  operationsOf,
  refName,
  type Schema,
} from './document.ts'
import { curlBlock, layout } from './layout.ts'
import { fieldsTable, typeOf } from './schema.ts'

/** The mocked API on one page, from its OpenAPI document. */
export const docs = (document: Document, sample: Sample, origin: string): Markup => {
  const operations = operationsOf(document).map((operation) => ({
    ...operation,
    curl: curlExample(operation, sample, document, origin),
  }))
  return layout({
    title: document.info.title,
    body: html`
      <header>
        <p><a href="./">paylink-mock</a> ${document.info.version}</p>
        <h1>${document.info.title}</h1>
        ${paragraphs(document.info.description)} ${variablesNote(operations.map(({ curl }) => curl))}
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
        ${operations.map((operation) => operationSection(operation, document))} ${sharedErrors(document)}
        ${schemas(document)}
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

const navItem = ({ operationId, summary, method, path }: Operation): Markup =>
  html`<li><a href="#${operationId}">${summary}</a> <code>${method} ${path}</code></li>`

const operationSection = (operation: Operation & { readonly curl: string }, { components }: Document): Markup => {
  const { operationId, summary, method, path, description, requestBody, curl } = operation
  const parameters = operation.parameters.flatMap(({ $ref }) => components.parameters[refName($ref)] ?? [])
  const { $ref } = requestBody?.content['application/json']?.schema ?? {}
  const body = $ref && components.schemas[refName($ref)]
  return html`
    <section id="${operationId}">
      <h2>${summary}</h2>
      <p class="route"><b>${method}</b> <code>${path}</code></p>
      <p>${inlineMarkdown(description)}</p>
      ${curlBlock(summary, curl)}
      <h3>Parameters</h3>
      <ul>
        ${parameters.map(parameterItem)}
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

const parameterItem = (parameter: Parameter): Markup => html`
  <li>
    <code>${parameter.name}</code> <small>${parameter.in}</small> ${typeOf(parameter.schema)}:
    ${inlineMarkdown(parameter.description ?? '')}
  </li>
`

const responseText = ({ description, content }: ResponseObject): Markup => {
  const schema = content?.['application/json']?.schema
  return description.startsWith('- ')
    ? html`${paragraphs(description)}`
    : html`${inlineMarkdown(description)} ${schema !== undefined && typeOf(schema)}`
}

const sharedErrors = ({ components: { responses, schemas: all } }: Document): Markup => html`
  <section id="errors">
    <h2>Errors of every operation</h2>
    ${Object.entries(responses).map(([name, { description }]) => [html`<h3>${name}</h3>`, paragraphs(description)])}
    ${['Error', 'Problem'].map((name) => {
      const schema = all[name]
      return schema && [html`<h3 id="${name}">${name}</h3>`, fieldsTable(withoutCodes(schema), name)]
    })}
  </section>
`

// The sections above list the codes with their meanings.
const withoutCodes = (schema: Schema): Schema => {
  const { enum: _, ...code } = schema.properties?.code ?? {}
  return { ...schema, properties: { ...schema.properties, code } }
}

const schemas = ({ components }: Document): Markup => html`
  ${Object.entries(components.schemas)
    .filter(([name]) => !/Body$|^Error$|^Problem$/.test(name))
    .map(
      ([name, schema]) =>
        html`<section id="${name}">
          <h2>${name}</h2>
          ${fieldsTable(schema, name)}
        </section>`,
    )}
`
