import { createCore } from '../core/mock/extension.ts'
import { type BehaviorKey, behaviorKeys, type Behaviors } from '../core/schema/behavior.ts'
import { type Fields, isRecord, parseJsonIfValid } from '../core/schema/json-value.ts'
import { tokenPattern } from '../core/schema/text.ts'
import type { PredictionInput } from './service-knowledge.ts'
import { type ProjectContent, emptyContent, type ShownEntry, toDocument } from './project-content.ts'
import { getEmail, type ServiceCall } from './recorded-calls.ts'

export interface Prediction {
  readonly status: number
  readonly contentType: string
  readonly json: unknown
  /** The behaviors that may have affected the response. */
  readonly assumed: readonly BehaviorKey[]
}

export type Predict = (input: PredictionInput, behaviors: Behaviors) => Promise<Prediction>

const bodyLimit = 64 * 1024 * 1024

/** Returns a function that predicts responses with an in-process mock, loaded with the records that the service has shown. */
export const createPredictor = (provider: string): Predict => {
  let mockTime = 0
  const core = createCore({ provider, now: () => mockTime, journalSize: 0, maxSandboxes: 0, bodyLimit })
  const selectContent = createContentSelector()
  /** The project, content and tokens that are loaded in the mock. Empty if a call may have changed them. */
  let loaded: readonly unknown[] = []

  const loadContent = ({ call, shownContent, tokenProjects }: PredictionInput) => {
    const { project, token = '' } = call
    const contentPart = shownContent && selectContent(shownContent, call)
    const isValid = tokenProjects?.length !== 0 && tokenPattern.test(token)
    const tokens = tokenProjects && [isValid ? { token, projects: [...tokenProjects] } : { token: 'other' }]
    const next = [project, contentPart, JSON.stringify(tokens)]
    if (next.every((part, index) => part === loaded[index])) return
    core.restart({ tokens, projects: contentPart === undefined ? {} : { [project]: toDocument(contentPart) } })
    // The call may create its project if it is unknown, so reload the mock before the next prediction.
    loaded = contentPart === undefined ? [] : next
  }

  const sendToMock = async ({ call, change }: PredictionInput): Promise<Prediction> => {
    mockTime = change?.at ?? call.end
    const response = await core.handleRequest(toMockRequest(call))
    if (call.isWrite) loaded = []
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      json: parseJsonIfValid(await response.text()),
      assumed: parseAssumedHeader(response.headers.get('mock-assumed')),
    }
  }

  return async (input, behaviors) => {
    const { call, firstWithKey, change } = input
    const replayed = behaviors.idempotencyKey === 'replay' ? firstWithKey : undefined
    loadContent(replayed ?? input)
    core.root.store.behaviors.set(behaviors)
    const original = replayed && (await sendToMock(replayed))
    const prediction = await sendToMock(input)
    const { json, status, assumed } = prediction
    const isRepeated = original !== undefined && readRecordId(original.json) === readRecordId(json)
    const id = isRepeated ? firstWithKey?.call.shownRecords[0]?.id : change?.createdId
    return {
      ...prediction,
      json: call.isCreate && status < 300 && id !== undefined && isRecord(json) ? replaceRecordId(json, id) : json,
      assumed: firstWithKey === undefined ? assumed : [...assumed, 'idempotencyKey'],
    }
  }
}

/**
 * Returns a function that selects the content that can affect a response: for a list, all records of its kind; otherwise, the
 * requested record and the users with the sent email. If possible, returns the same object again, so that the mock stays loaded.
 */
const createContentSelector = () => {
  const lists = new WeakMap<readonly ShownEntry[], ProjectContent>()
  let lastSelection:
    { readonly call: ServiceCall; readonly content: ProjectContent; readonly contentPart: ProjectContent } | undefined
  return (content: ProjectContent, call: ServiceCall): ProjectContent => {
    const { kind, isList, id, sentFields } = call
    if (isList) {
      const listPart = lists.get(content[kind]) ?? { ...emptyContent, [kind]: content[kind] }
      lists.set(content[kind], listPart)
      return listPart
    }
    if (lastSelection?.call === call && lastSelection.content === content) return lastSelection.contentPart
    const email = getEmail(sentFields)
    const isPart = (entry: ShownEntry) =>
      entry.id === id || (email !== undefined && getEmail(entry.fields ?? {}) === email)
    const contentPart = { ...content, users: [], paymentLinks: [], [kind]: content[kind].filter(isPart) }
    lastSelection = { call, content, contentPart }
    return contentPart
  }
}

const readRecordId = (json: unknown): unknown => (isRecord(json) ? json.id : undefined)

const replaceRecordId = (json: Fields, id: string): Fields => ({
  ...json,
  id,
  ...(typeof json.paymentUrl === 'string' && { paymentUrl: json.paymentUrl.replace(String(json.id), id) }),
})

const parseAssumedHeader = (header: string | null): BehaviorKey[] => {
  const assumedNames = header?.split(', ').map((text) => text.split('=')[0])
  return behaviorKeys.filter((key) => assumedNames?.includes(key))
}

const hopHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect', 'te'])

const toMockRequest = ({ method, mockTarget, headers, body }: ServiceCall): Request => {
  const mayHaveBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://service${mockTarget}`, {
    method,
    headers: headers.filter(([name]) => !hopHeaders.has(name.toLowerCase())),
    ...(mayHaveBody && { body: body as BodyInit }),
  })
}
