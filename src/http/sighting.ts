import type { Sighting } from '../traffic/record.ts'
import type { Exchange } from './exchange.ts'

/** The request of an exchange as a matcher looks at it, before it is answered. */
export const sightingOf = ({ project, operation, text, raw, line }: Exchange): Sighting & { project: string } => ({
  project: project!,
  operation: operation?.id,
  method: raw.method,
  url: raw.url,
  headers: line.headers(),
  text,
  status: undefined,
})
