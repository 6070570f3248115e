import { kinds } from '../domain/kinds.ts'
import { getId, isStoredRecord } from '../domain/collection.ts'
import { getBearerToken, hashSecret } from '../domain/tokens.ts'
import type { RecordChange } from '../domain/history.ts'
import type { Behaviors } from '../schema/behavior.ts'
import { errors } from '../schema/error.ts'
import { type Fields, hasSameJson, parseJsonIfValid } from '../schema/json-value.ts'
import { isOfProject, type Matcher } from '../schema/matcher.ts'
import type { OperationId } from '../schema/operation-routes.ts'
import { cut } from '../schema/text.ts'
import { type Change, type RecordedRequest, secretHeaders, type Violation } from '../schema/recorded-request.ts'
import { isDeeper, maxStateDepth } from '../http/json.ts'
import type { ResponseData } from '../http/respond.ts'
import { findPathStart } from '../schema/url.ts'

/** A request that a matcher can match, with or without its response. */
export interface MatchableRequest {
  /** Empty if the path names no project. */
  readonly project: string
  readonly operation: OperationId | undefined
  readonly method: string
  readonly url: string
  /** Names and values alternate, each in a line of its own. One text costs less memory than an array of texts. */
  readonly headers: string
  /** The text of the body. Undefined if there was none, or if it was not read. */
  readonly text: string | undefined
  /** Undefined if no response was sent. */
  readonly status: number | undefined
}

export interface StoredRequest extends MatchableRequest {
  readonly id: string
  /** Milliseconds since 1970, by the clock of the project. */
  readonly receivedAt: number
  /** Milliseconds of the machine's clock. */
  readonly duration: number
  readonly response: Pick<ResponseData, 'headers' | 'text'> | undefined
  readonly assumed: Partial<Behaviors>
  readonly violations: readonly Violation[]
  readonly changes: readonly RecordChange[]
  readonly fault: string | undefined
  /** Whether the request was delivered again, and the client got the second response. */
  readonly superseded: boolean
}

export interface JournalLimits {
  /** The maximum number of requests of a project. @default 1000 */
  readonly entries?: number | undefined
  /** The memory that this journal shares with others. @default memory of its own */
  readonly memory?: JournalMemory | undefined
}

/** The memory limit that several journals share. When it is exceeded, the largest project loses its oldest requests. */
export type JournalMemory = ReturnType<typeof createJournalMemory>

/** @param maxSize the maximum size of all their requests together, in characters */
export const createJournalMemory = (maxSize = 64 * 1024 * 1024) => {
  const buffers = new Set<ProjectBuffer>()
  let totalSize = 0
  // Frees a tenth at once, because the search for the largest project costs more than a request.
  const dropOldRequests = () => {
    for (const buffer of [...buffers].toSorted((a, b) => b.size - a.size)) {
      if (totalSize <= maxSize * 0.9) return
      const targetSize = Math.min(buffer.size - (totalSize - maxSize * 0.9), buffer.size * 0.75)
      while (buffer.size > targetSize && buffer.entries.length > 0) totalSize -= dropOldest(buffer)
    }
  }
  return {
    buffers,
    grow: (size: number): void => {
      totalSize += size
      if (totalSize > maxSize) dropOldRequests()
    },
  }
}

export type Journal = ReturnType<typeof createJournal>

interface JournalEntry {
  readonly request: StoredRequest
  /** The position among the requests of all projects. */
  readonly sequence: number
  readonly size: number
}

export const createJournal = (limits: JournalLimits = {}) => {
  const { entries = 1000, memory = createJournalMemory() } = limits
  const buffers = new Map<string, ProjectBuffer>()
  const projectEpochs = new Map<string, number>()
  const listeners = new Set<(request: StoredRequest) => void>()
  let globalEpoch = 0
  let sequence = 0

  const getBuffer = (project: string): ProjectBuffer => {
    const buffer = buffers.get(project) ?? { project, entries: [], size: 0, dropped: 0 }
    buffers.set(project, buffer)
    memory.buffers.add(buffer)
    return buffer
  }
  const getBuffers = (project: string | undefined): ProjectBuffer[] =>
    project === undefined ? [...buffers.values()] : [buffers.get(project) ?? []].flat()
  const clear = (project?: string): void => {
    for (const buffer of getBuffers(project)) {
      buffers.delete(buffer.project)
      memory.buffers.delete(buffer)
      memory.grow(-buffer.size)
    }
  }
  /** Oldest first. */
  const listRequests = (project?: string): StoredRequest[] =>
    getBuffers(project)
      .flatMap((buffer) => buffer.entries)
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ request }) => request)

  return {
    /** Returns how often the project was reset. A request that began before a reset is not recorded after it. */
    getEpoch: (project: string): number => globalEpoch + (projectEpochs.get(project) ?? 0),
    /** Records a request. Returns its approximate size in characters. */
    add: (request: StoredRequest): number => {
      const size = getRequestSize(request)
      const buffer = getBuffer(request.project)
      buffer.entries.push({ request, sequence: sequence++, size })
      buffer.size += size
      memory.grow(size - (buffer.entries.length > entries ? dropOldest(buffer) : 0))
      for (const listener of listeners) listener(request)
      return size
    },
    list: listRequests,
    /** Returns how many requests were dropped to make room, of the projects that one of the matchers can match. */
    countDropped: (project?: string, matchers: readonly Matcher[] = [{}]): number =>
      getBuffers(project)
        .filter((buffer) => matchers.some((matcher) => canMatchProject(matcher, buffer.project)))
        .reduce((sum, buffer) => sum + buffer.dropped, 0),
    get: (id: string, project?: string): StoredRequest => {
      const request = listRequests(project).find((one) => one.id === id)
      if (request === undefined) throw errors.requestNotFound(id)
      return request
    },
    clear,
    reset: (project?: string): void => {
      clear(project)
      if (project === undefined) globalEpoch++
      else projectEpochs.set(project, (projectEpochs.get(project) ?? 0) + 1)
    },
    onAdd: (listener: (request: StoredRequest) => void) => {
      listeners.add(listener)
      return (): void => void listeners.delete(listener)
    },
  }
}

// A request without a project may have a path that names one: with another base path, it is not a path of the API.
const canMatchProject = ({ project, path }: Matcher, bufferProject: string): boolean =>
  (project === undefined || project === bufferProject) &&
  (path === undefined || bufferProject === '' || isOfProject(path, bufferProject))

/** The approximate size of a request without its texts, in characters. */
const baseRequestSize = 500

const getRequestSize = ({ url, headers, text, response, violations }: StoredRequest): number => {
  let size = baseRequestSize + url.length + headers.length + (text?.length ?? 0) + (response?.text?.length ?? 0)
  for (const { path, message } of violations) size += path.length + message.length
  return size
}

/** The recorded requests of one project, oldest first. */
interface ProjectBuffer {
  readonly project: string
  readonly entries: JournalEntry[]
  size: number
  dropped: number
}

const dropOldest = (buffer: ProjectBuffer): number => {
  const { size = 0 } = buffer.entries.shift() ?? {}
  buffer.size -= size
  buffer.dropped++
  return size
}

/** The maximum number of characters of a body that are shown. Matchers use the whole body. */
const maxShownBody = 16 * 1024

/** Converts a request to its readable form, with short hashes instead of secrets. */
export const toRecordedRequest = (request: StoredRequest): RecordedRequest => ({
  id: request.id,
  project: request.project || null,
  operation: request.operation ?? null,
  method: request.method,
  path: getPath(request),
  query: getQuery(request),
  status: request.status ?? null,
  receivedAt: new Date(request.receivedAt).toISOString(),
  durationMilliseconds: request.duration,
  request: { headers: getHeaders(request), ...toRecordedBody(request.text) },
  response: toRecordedResponse(request),
  assumed: request.assumed,
  violations: [...request.violations],
  changes: request.changes.map(describeChange),
  fault: request.fault ?? null,
  ...(request.superseded && { superseded: true as const }),
})

/** Returns the path as it was sent, such as `/projects/acme/users`. */
export const getPath = ({ url }: MatchableRequest): string => {
  const start = findPathStart(url)
  return start === -1 ? '/' : url.slice(start).replace(/[?#].*/s, '')
}

export const getQuery = ({ url }: MatchableRequest): Record<string, string | string[]> => {
  const queryParameters = new Map<string, string | string[]>()
  for (const [name, parameterValue] of new URL(url).searchParams) {
    const earlierValue = queryParameters.get(name)
    queryParameters.set(name, earlierValue === undefined ? parameterValue : [earlierValue, parameterValue].flat())
  }
  return Object.fromEntries(queryParameters)
}

/** Returns the headers by lower-case name. Repeated headers are joined, and secrets are short hashes. */
export const getHeaders = ({ headers }: MatchableRequest): Record<string, string> => {
  const headersByName = new Map<string, string>()
  const lines = headers.split('\n')
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const name = lines[index]!.toLowerCase()
    const headerValue = redactHeader(name, lines[index + 1]!)
    const earlierValue = headersByName.get(name)
    headersByName.set(name, earlierValue === undefined ? headerValue : `${earlierValue}, ${headerValue}`)
  }
  return Object.fromEntries(headersByName)
}

/** Returns the value of a header with a hash instead of its secret, which a test can compare. The name is in lower case. */
export const redactHeader = (name: string, value: string): string => {
  if (!secretHeaders.has(name)) return value
  const token = getBearerToken(value)
  return token === undefined ? `#${hashSecret(value)}` : `Bearer #${hashSecret(token)}`
}

export const redactHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactHeader(name.toLowerCase(), value)]))

/** Returns undefined if the text is not JSON, or deeper than a state. */
export const parseRecordedJson = (text: string): unknown => {
  const value = parseJsonIfValid(text)
  return isDeeper(value, maxStateDepth) ? undefined : value
}

const toRecordedResponse = ({ method, response }: StoredRequest): RecordedRequest['response'] =>
  // The response to HEAD is that to GET without the body.
  response
    ? { headers: redactHeaders(response.headers), ...toRecordedBody(method === 'HEAD' ? null : response.text) }
    : null

const toRecordedBody = (text: string | null | undefined) => {
  if (!text) return { body: null, truncated: false }
  if (text.length > maxShownBody) return { body: cut(text, maxShownBody), truncated: true }
  const value = parseRecordedJson(text)
  return { body: value === undefined ? text : value, truncated: false }
}

/** Describes the changed fields of a record, or all fields of a created or deleted one. */
export const describeChange = ({ kind, from, to }: RecordChange): Change => {
  const changedRecord = { resource: kinds[kind].object, id: getId(to) }
  const fieldsBefore: Fields | null = isStoredRecord(from) ? { ...from.value } : null
  const fieldsAfter: Fields | null = isStoredRecord(to) ? { ...to.value } : null
  if (fieldsBefore === null || fieldsAfter === null) return { ...changedRecord, from: fieldsBefore, to: fieldsAfter }
  const changedNames = Object.keys(fieldsAfter).filter((name) => !hasSameJson(fieldsBefore[name], fieldsAfter[name]))
  const pickFields = (fields: Fields) => Object.fromEntries(changedNames.map((name) => [name, fields[name]]))
  return { ...changedRecord, from: pickFields(fieldsBefore), to: pickFields(fieldsAfter) }
}
