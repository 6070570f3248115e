import { html, type Markup } from '../html.ts'
import { prose } from '../prose.ts'
import { setFirst } from '../set-first.ts'
import { type Answer, type Document, nameIn, operationsOf, type Parameter, type Placed } from './document.ts'
import { lineOf, type Sample } from './lines.ts'
import { lineBlock, page } from './page.ts'
import { fieldsTable, typeOf } from './schema.ts'

/** The interface on one page, from the document that is served beside it. */
export const docs = (document: Document, sample: Sample, origin: string): Markup => {
  const operations = operationsOf(document)
  const lines = operations.map((operation) => lineOf(operation, sample, document, origin))
  return page({
    title: document.info.title,
    body: html`
      <header>
        <p><a href="./">paylink-mock</a> ${document.info.version}</p>
        <h1>${document.info.title}</h1>
        ${introduction(document.info.description)} ${setFirst(lines)}
        <p>For tools: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1)</p>
      </header>
      <nav aria-label="Operations">
        ${document.tags.map(
          ({ name }) =>
            html`<h2>${name}</h2>
              <ul>
                ${operations.filter(({ tags }) => tags.includes(name)).map(entryOf)}
              </ul>`,
        )}
      </nav>
      <main>
        ${operations.map((operation, index) => operationSection(operation, document, lines[index]!))}
        ${sharedErrors(document)} ${schemas(document)}
      </main>
    `,
  })
}

// Paragraphs, and lists of lines that begin with a dash and may go on.
const introduction = (text: string): Markup =>
  html`${text.split('\n\n').map((part) =>
    part.startsWith('- ')
      ? html`<ul>
          ${part
            .slice(2)
            .split('\n- ')
            .map((item) => html`<li>${prose(item)}</li>`)}
        </ul>`
      : html`<p>${prose(part)}</p>`,
  )}`

const entryOf = ({ operationId, summary, method, path }: Placed): Markup =>
  html`<li><a href="#${operationId}">${summary}</a> <code>${method} ${path}</code></li>`

const operationSection = (operation: Placed, document: Document, line: string): Markup => {
  const { operationId, summary, method, path, description, requestBody } = operation
  const parameters = operation.parameters.map(({ $ref }) => document.components.parameters[nameIn($ref)]!)
  const body = requestBody?.content['application/json']
  const name = body?.schema.$ref === undefined ? undefined : nameIn(body.schema.$ref)
  return html`
    <section id="${operationId}">
      <h2>${summary}</h2>
      <p class="route"><b>${method}</b> <code>${path}</code></p>
      <p>${prose(description)}</p>
      ${lineBlock(summary, line)}
      <h3>Parameters</h3>
      <ul>
        ${parameters.map(parameterItem)}
      </ul>
      ${
        name !== undefined &&
        html`<h3>Body</h3>
          ${fieldsTable(document.components.schemas[name]!, `Body of: ${summary}`)}`
      }
      <h3>Answers</h3>
      <ul>
        ${Object.entries(operation.responses).map(([status, answer]) =>
          '$ref' in answer ? '' : html`<li><b>${status}</b> ${answerText(answer)}</li>`,
        )}
        <li><a href="#errors">What any operation may answer</a></li>
      </ul>
    </section>
  `
}

const parameterItem = (parameter: Parameter): Markup => html`
  <li>
    <code>${parameter.name}</code> <small>${parameter.in}</small> ${typeOf(parameter.schema)}:
    ${prose(parameter.description ?? '')}
  </li>
`

const answerText = ({ description, content }: Answer): Markup => {
  const schema = content?.['application/json']?.schema
  return description.startsWith('- ')
    ? html`${introduction(description)}`
    : html`${prose(description)} ${schema !== undefined && typeOf(schema)}`
}

const sharedErrors = ({ components: { responses, schemas: all } }: Document): Markup => html`
  <section id="errors">
    <h2>Errors of every operation</h2>
    ${Object.entries(responses).map(
      ([name, answer]) =>
        html`<h3>${name}</h3>
          ${introduction(answer.description)}`,
    )}
    ${['Error', 'Problem']
      .filter((name) => name in all)
      .map(
        (name) =>
          html`<h3 id="${name}">${name}</h3>
            ${fieldsTable({ ...all[name], properties: withoutCodes(all[name]?.properties) }, name)}`,
      )}
  </section>
`

// All codes stand above, with what they mean.
const withoutCodes = (properties: NonNullable<Document['components']['schemas'][string]['properties']> = {}) => ({
  ...properties,
  ...(properties.code && { code: { ...properties.code, enum: undefined } as object }),
})

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
