import type { RoutePrefixes } from '../error-definition.ts'
import { quoteName } from '../problem.ts'
import { shorten } from '../text.ts'

export interface UnknownId {
  readonly id: string
  readonly project: string
  /** For example `payment link`. */
  readonly text: string
  readonly reason?:
    | { is: 'deleted' }
    | { is: 'otherKind'; prefix: string; text: string; path: string }
    | { is: 'otherProject'; project: string }
    | { is: 'otherPrefix'; prefix: string }
    | undefined
}

const explainReason = ({ text, project, reason }: UnknownId, { api }: RoutePrefixes): string | undefined => {
  switch (reason?.is) {
    case 'deleted':
      return `The ${text} was deleted.`
    case 'otherKind':
      return `An id that starts with '${reason.prefix}_' belongs to a ${reason.text}: see ${api}/projects/${encodeURIComponent(shorten(project, 100))}/${reason.path}.`
    case 'otherProject':
      return `It belongs to project ${quoteName(reason.project)}.`
    case 'otherPrefix':
      return `Ids of ${text}s start with '${reason.prefix}_'.`
    case undefined:
      return undefined
  }
}

export const describeUnknownId = (unknownId: UnknownId) => (prefixes: RoutePrefixes) => ({
  message: `No ${unknownId.text} ${quoteName(unknownId.id)} in project ${quoteName(unknownId.project)}.`,
  hint: explainReason(unknownId, prefixes),
})

export interface WrongCursor extends UnknownId {
  readonly name: 'after' | 'before'
}

export const describeCursor = (cursor: WrongCursor, message: string) => (prefixes: RoutePrefixes) => {
  const { name, id, text, project } = cursor
  const problem = `${name} must be the id of a ${text} of project ${quoteName(project)} (got ${quoteName(id)}).`
  return { message, hint: explainReason(cursor, prefixes), details: [{ path: name, message: problem }] }
}
