// Reads an OpenAPI 3.0 document as YAML, and writes it as OpenAPI Generator 4 needs it: without alternatives, constant
// booleans and patterns of times, for which it writes code that does not run.
import { parse } from 'yaml'

const relaxed = (value) => {
  if (Array.isArray(value)) return value.map(relaxed)
  if (typeof value !== 'object' || value === null) return value
  const { anyOf, oneOf, ...rest } = value
  if (Array.isArray(anyOf ?? oneOf)) return { type: 'object' }
  if (rest.type === 'boolean') delete rest.enum
  if (rest.format === 'date-time') delete rest.pattern
  return Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, relaxed(part)]))
}

let text = ''
for await (const chunk of process.stdin) text += chunk
console.log(JSON.stringify(relaxed(parse(text))))
