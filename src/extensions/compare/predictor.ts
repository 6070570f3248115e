// A mock in this process that gets one call at a time, with the records that the service has shown and with any behaviors.
import { createCore } from '../../mock/extension.ts'
import { type BehaviorKey, behaviorKeys, type Behaviors } from '../../schema/behavior.ts'
import { type Fields, isRecord, parseJsonIfValid } from '../../schema/json-value.ts'
import { tokenPattern } from '../../schema/text.ts'
import type { CallSituation } from './call-situation.ts'
import { type Content, emptyContent, type ShownEntry, toDocument } from './project-content.ts'
import { getEmail, type ServiceCall } from './recorded-calls.ts'

export interface Prediction {
  readonly status: number
  readonly contentType: string
  readonly json: unknown
  /** The behaviors that may have decided the response. */
  readonly assumed: readonly BehaviorKey[]
}

export type Predict = (situation: CallSituation, behaviors: Behaviors) => Promise<Prediction>

const bodyLimit = 64 * 1024 * 1024

export const createPredictor = (provider: string): Predict => {
  let now = 0
  const core = createCore({ provider, now: () => now, journalSize: 0, maxSandboxes: 0, bodyLimit })
  const select = createSelect()
  /** The content of the mock. Undefined: a call may have changed it. */
  let loaded: { readonly project: string; readonly part: Content | undefined; readonly tokens: string } | undefined

  const load = ({ call, shownContent, tokenProjects }: CallSituation) => {
    const { project, token = '' } = call
    const part = shownContent && select(shownContent, call)
    const isValid = tokenProjects?.length !== 0 && tokenPattern.test(token)
    const tokens = tokenProjects && [isValid ? { token, projects: [...tokenProjects] } : { token: 'other' }]
    const next = { project, part, tokens: JSON.stringify(tokens) }
    if (loaded?.project === project && loaded.part === part && loaded.tokens === next.tokens) return
    core.restart({ tokens, projects: part === undefined ? {} : { [project]: toDocument(part) } })
    // Any call may create an unknown project.
    loaded = part === undefined ? undefined : next
  }

  const send = async ({ call, change }: CallSituation): Promise<Prediction> => {
    now = change?.at ?? call.end
    const response = await core.handleRequest(toRequest(call))
    if (call.isWrite) loaded = undefined
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      json: parseJsonIfValid(await response.text()),
      assumed: listAssumed(response.headers.get('mock-assumed')),
    }
  }

  return async (situation, behaviors) => {
    const { call, first, change } = situation
    const replayed = behaviors.idempotencyKey === 'replay' ? first : undefined
    load(replayed ?? situation)
    core.root.store.behaviors.set(behaviors)
    const original = replayed && (await send(replayed))
    const prediction = await send(situation)
    const { json, status, assumed } = prediction
    const isRepeated = original !== undefined && readId(original.json) === readId(json)
    const id = isRepeated ? first?.call.shown[0]?.id : change?.createdId
    return {
      ...prediction,
      json: call.isCreate && status < 300 && id !== undefined && isRecord(json) ? withId(json, id) : json,
      assumed: first === undefined ? assumed : [...assumed, 'idempotencyKey'],
    }
  }
}

/**
 * Returns a function that selects what decides the response to a call, so that a long run costs little: all records of a
 * list, otherwise the record itself and the users with the same email. The same part is the same object.
 */
const createSelect = () => {
  const lists = new WeakMap<readonly ShownEntry[], Content>()
  let last: { readonly call: ServiceCall; readonly content: Content; readonly part: Content } | undefined
  return (content: Content, call: ServiceCall): Content => {
    const { kind, isList, id, sent } = call
    if (isList) {
      const part = lists.get(content[kind]) ?? { ...emptyContent, [kind]: content[kind] }
      lists.set(content[kind], part)
      return part
    }
    if (last?.call === call && last.content === content) return last.part
    const email = getEmail(sent)
    const isPart = (entry: ShownEntry) =>
      entry.id === id || (email !== undefined && getEmail(entry.fields ?? {}) === email)
    last = { call, content, part: { ...content, users: [], paymentLinks: [], [kind]: content[kind].filter(isPart) } }
    return last.part
  }
}

const readId = (json: unknown): unknown => (isRecord(json) ? json.id : undefined)

/** The mock chooses the id of a new record; that of the service takes its place, also in the address of the payment. */
const withId = (json: Fields, id: string): Fields => ({
  ...json,
  id,
  ...(typeof json.paymentUrl === 'string' && { paymentUrl: json.paymentUrl.replace(String(json.id), id) }),
})

const listAssumed = (header: string | null): BehaviorKey[] => {
  const names = header?.split(', ').map((text) => text.split('=')[0])
  return behaviorKeys.filter((key) => names?.includes(key))
}

const unsent = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect', 'te'])

const toRequest = ({ method, mockTarget, headers, body }: ServiceCall): Request => {
  const pairs = headers.flatMap((name, index): [string, string][] =>
    index % 2 === 0 && !unsent.has(name.toLowerCase()) ? [[name, headers[index + 1] ?? '']] : [],
  )
  const hasBody = body.byteLength > 0 && method !== 'GET' && method !== 'HEAD'
  return new Request(`http://service${mockTarget}`, {
    method,
    headers: pairs,
    ...(hasBody && { body: body as BodyInit }),
  })
}
