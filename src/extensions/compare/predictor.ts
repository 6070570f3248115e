// A mock in this process that gets one call at a time, with the records that the service has shown and with any behaviors.
import { createMock } from '../../index.ts'
import type { BehaviorKey, Behaviors } from '../../schema/behavior.ts'
import { type Fields, isRecord, parseJsonIfValid } from '../../schema/json-value.ts'
import { tokenPattern } from '../../schema/text.ts'
import type { ServiceCall } from './service-call.ts'
import { emptyContent, type ShownEntry, toDocument, type Content } from './project-content.ts'

/** The response of the mock to a call. */
export interface Prediction {
  readonly status: number
  readonly contentType: string
  readonly json: unknown
  /** The behaviors that may have decided the response. */
  readonly assumed: readonly BehaviorKey[]
}

/** The choices of the service: ids, times and tokens. */
export interface Given {
  /** The id of a new record. */
  readonly id?: string | undefined
  /** The time of a change, in milliseconds since 1970. */
  readonly now: number
  /** The projects of the token. Undefined: any. Empty: it is not valid. */
  readonly projects?: readonly string[] | undefined
  /** The first call with the `Idempotency-Key` of this one. */
  readonly first?: KeyedCall | undefined
}

/** A successful call with an `Idempotency-Key`, and what the mock knew before it. */
export interface KeyedCall {
  readonly call: ServiceCall
  readonly content: Content | undefined
  readonly given: Given
}

/** Predicts the response to a call. An undefined content: the project is unknown. */
export type Predict = (
  call: ServiceCall,
  content: Content | undefined,
  behaviors: Behaviors,
  given: Given,
) => Promise<Prediction>

const bodyLimit = 64 * 1024 * 1024

export const createPredictor = (provider: string): { readonly predict: Predict; close(): Promise<void> } => {
  let now = 0
  const mock = createMock({ provider, now: () => now, journalSize: 0, maxSandboxes: 0, bodyLimit })
  let current: { readonly behaviors: Behaviors; readonly tokens: string } | undefined
  /** The content of each project. Undefined: none, or a call has changed it. */
  const loaded = new Map<string, Content | undefined>()
  const select = createSelect()

  const load = async (call: ServiceCall, content: Content | undefined) => {
    const project = mock.project(call.project)
    const part = content && select(content, call)
    if (part !== undefined && loaded.get(call.project) === part) return
    current = undefined
    if (part !== undefined) await project.state.put(toDocument(part))
    else if (loaded.has(call.project)) await project.delete().catch(() => {})
    loaded.set(call.project, part)
  }

  const configure = async (call: ServiceCall, behaviors: Behaviors, { projects }: Given) => {
    const isValid = projects?.length !== 0 && tokenPattern.test(call.token ?? '')
    const tokens = projects && [isValid ? { token: call.token!, projects: [...projects] } : { token: 'other' }]
    const text = JSON.stringify(tokens ?? [])
    if (current?.tokens !== text) await mock.tokens.replace(tokens ?? [])
    if (current?.behaviors !== behaviors) await mock.behaviors.set(behaviors)
    current = { behaviors, tokens: text }
  }

  const send = async (call: ServiceCall, given: Given): Promise<Prediction> => {
    now = given.now
    const response = await mock.fetch(toRequest(call))
    if (call.isWrite) loaded.set(call.project, undefined)
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      json: parseJsonIfValid(await response.text()),
      assumed: listAssumed(response.headers.get('mock-assumed')),
    }
  }

  const predict: Predict = async (call, content, behaviors, given) => {
    const { first } = given
    const isReplay = first !== undefined && behaviors.idempotencyKey === 'replay'
    await (isReplay ? load(first.call, first.content) : load(call, content))
    await configure(call, behaviors, given)
    const original = isReplay ? await send(first.call, first.given) : undefined
    const prediction = await send(call, given)
    const assumed: readonly BehaviorKey[] =
      first === undefined ? prediction.assumed : [...prediction.assumed, 'idempotencyKey']
    const { json } = prediction
    const isRepeated = original !== undefined && readId(original.json) === readId(json)
    const id = isRepeated ? first?.call.shown[0]?.id : given.id
    const isCreated = call.isCreate && prediction.status < 300 && id !== undefined && isRecord(json)
    return { ...prediction, assumed, json: isCreated ? withId(json, id) : json }
  }
  return { predict, close: () => mock.close() }
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
      const known = lists.get(content[kind]) ?? { ...emptyContent, [kind]: content[kind] }
      lists.set(content[kind], known)
      return known
    }
    if (last?.call === call && last.content === content) return last.part
    const email = typeof sent.email === 'string' ? sent.email.toLowerCase() : undefined
    const isPart = (entry: ShownEntry) =>
      entry.id === id || (email !== undefined && String(entry.fields?.email).toLowerCase() === email)
    const others = { users: [], paymentLinks: [], [kind]: content[kind].filter(isPart) }
    last = { call, content, part: { ...content, ...others } }
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

const listAssumed = (header: string | null): BehaviorKey[] =>
  (header ?? '').split(', ').flatMap((text) => (text === '' ? [] : (text.split('=')[0] as BehaviorKey)))

const unsent = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect', 'te'])

const toRequest = ({ method, mockTarget, headers, body }: ServiceCall): Request => {
  const list = new Headers()
  for (let i = 0; i < headers.length; i += 2)
    if (!unsent.has(headers[i]!.toLowerCase())) list.append(headers[i]!, headers[i + 1]!)
  const hasBody = body.byteLength > 0 && method !== 'GET' && method !== 'HEAD'
  return new Request(`http://service${mockTarget}`, {
    method,
    headers: list,
    ...(hasBody && { body: body as BodyInit }),
  })
}
