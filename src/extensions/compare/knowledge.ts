// Collects the knowledge of the mock: the facts of a response before the mock gets the call, and its changes after it.
import type { Behaviors } from '../../schema/behavior.ts'
import { hasSameJson } from '../../schema/json-value.ts'
import { User } from '../../schema/user.ts'
import { addInvoices, addPayments, addRecords, resolveRaces } from './facts.ts'
import { findTokenProjects, type RunOverview } from './overview.ts'
import type { KnownFacts } from './differences.ts'
import type { Given, KeyedCall } from './predictor.ts'
import { isDuring, isTime, parseTime, type ServiceCall, type ShownRecord } from './service-call.ts'
import {
  emptyContent,
  findEntry,
  findRecord,
  forgetRecord,
  putRecord,
  removeRecord,
  toEntry,
  type Content,
} from './project-content.ts'

/** How long a list may lag behind, in milliseconds. */
const maxLag = 10_000
/** How many earlier states of the content are kept. */
const maxPast = 100

/** An earlier content, and the call that ended it. */
export interface EarlierContent {
  readonly content: Content
  readonly endedBy: Pick<ServiceCall, 'start' | 'end'>
}

/** The knowledge from all calls so far. */
export interface RunKnowledge {
  readonly projects: Map<string, ProjectKnowledge>
  /** The project of each record. */
  readonly owners: Map<string, string>
  /** The `paymentUrl` of each link, and the link of each. */
  readonly paymentUrls: Map<string, string>
  /** The records that the run has created or changed. */
  readonly own: Set<string>
}

/** The knowledge about one project. */
export interface ProjectKnowledge {
  /** Undefined: the project is unknown. */
  content: Content | undefined
  /** Oldest first. */
  past: readonly EarlierContent[]
  /** The first call with each `Idempotency-Key`. */
  readonly keyed: Map<string, KeyedCall>
  /** When a list has shown a record that no call had created yet. */
  readonly imported: Map<string, number>
  /** The records that a call without a response may have changed. */
  readonly uncertain: Set<string>
  /** The kinds of which all records are known. */
  readonly complete: Set<string>
  /** The last records of pages that began at the start of the list. */
  readonly heads: Set<string>
}

export const createKnowledge = (): RunKnowledge => ({
  projects: new Map(),
  owners: new Map(),
  paymentUrls: new Map(),
  own: new Set(),
})

export const getKnowledgeOf = ({ projects }: RunKnowledge, id: string): ProjectKnowledge => {
  const known = projects.get(id) ?? {
    content: undefined,
    past: [],
    keyed: new Map(),
    imported: new Map(),
    uncertain: new Set(),
    complete: new Set(),
    heads: new Set(),
  }
  projects.set(id, known)
  return known
}

/** Everything that decides the response of the mock, besides its behaviors. */
export interface CallSituation extends KnownFacts {
  readonly content: Content | undefined
  readonly given: Given
  /** The content in the last ten seconds, newest first. Empty: the call is not a list. */
  readonly past: readonly EarlierContent[]
}

export interface PreparedCall {
  /** With the facts that the response shows, which no behavior decides. */
  readonly content: Content | undefined
  readonly situation: CallSituation
  /** The calls at the same time that may have changed the response. */
  readonly raced: readonly ServiceCall[]
}

const getKey = ({ method, target, key }: ServiceCall): string => `${method} ${target} ${key}`

/** Adds the facts that the response to a call shows. */
export const prepare = (
  call: ServiceCall,
  knowledge: RunKnowledge,
  overview: RunOverview,
  behaviors: Behaviors,
  provider: string,
): PreparedCall => {
  const { status, kind } = call
  const project = getKnowledgeOf(knowledge, call.project)
  const raced = overview.overlapping.get(call) ?? []
  // A project exists if the service says so.
  const isShown = ![401, 403, 404, 405].includes(status)
  const before = project.content ?? (isShown ? emptyContent : undefined)
  const facts: CallFacts =
    before === undefined ? { content: before } : addFacts(call, before, knowledge, project, behaviors, provider)
  const isPage = call.isList && status < 300
  return {
    content: facts.content,
    raced,
    situation: {
      content: facts.content && resolveRaces(facts.content, call, raced, provider),
      given: {
        id: facts.created,
        now: facts.now ?? call.end,
        projects: findTokenProjects(call, overview),
        first: call.key === undefined ? undefined : project.keyed.get(getKey(call)),
      },
      past: isPage ? project.past.filter(({ endedBy }) => endedBy.end > call.start - maxLag).toReversed() : [],
      isComplete: project.complete.has(kind),
      paymentUrls: knowledge.paymentUrls,
      changedAt: facts.now,
    },
  }
}

interface CallFacts {
  readonly content: Content | undefined
  /** The id of a new record. */
  readonly created?: string | undefined
  /** When the change of the call happened. */
  readonly now?: number | undefined
}

const addFacts = (
  call: ServiceCall,
  before: Content,
  { owners }: RunKnowledge,
  project: ProjectKnowledge,
  behaviors: Behaviors,
  provider: string,
): CallFacts => {
  const { kind, shown, id, operation, status } = call
  const [first] = shown
  let content = before
  let created: string | undefined
  let now: number | undefined
  if (call.isCreate && first !== undefined) {
    const seen = project.imported.get(first.id)
    // A list at the same time has shown it.
    if (seen !== undefined && seen >= call.start) content = forgetRecord(content, kind, first.id)
    if (findEntry(content, kind, first.id) === undefined) {
      created = first.id
      now = parseTime(first.createdAt)
    }
  } else if (operation === 'cancelPaymentLink' && first !== undefined && isTime(first.canceledAt)) {
    const canceledAt = parseTime(first.canceledAt)
    const isActive = (one: Content) => findRecord(one, kind, first.id)?.status === 'active'
    const isUnknown = findEntry(content, kind, first.id) === undefined
    // A read at the same time may have shown it as canceled.
    const earlier = project.past.find((one) => one.endedBy.end >= call.start && isActive(one.content))
    if (isUnknown ? isDuring(call, canceledAt) : isActive(content) || earlier !== undefined) now = canceledAt
    if (now !== undefined && !isUnknown && !isActive(content))
      content = putRecord(content, kind, activate(first), provider)
  }
  if (call.isCreate) content = addInvoices(content, call)
  else {
    const isNew = (record: ShownRecord) =>
      findEntry(content, kind, record.id) === undefined && (owners.get(record.id) ?? call.project) === call.project
    const added = shown.filter(isNew).map((record) => (now === undefined ? record : activate(record)))
    for (const record of added) project.imported.set(record.id, call.end)
    const isOldestFirst = kind === 'paymentLinks' && behaviors.paymentLinkOrder === 'oldestFirst'
    const add = (to: Content) => addInvoices(addRecords(to, call, added, isOldestFirst, provider), call)
    const after = add(content)
    // They were there before, unless they are new: nobody knows.
    if (after !== content) project.past = project.past.map((one) => ({ ...one, content: add(one.content) }))
    content = after
  }
  content = addPayments(content, call, provider)
  for (const record of shown)
    if (project.uncertain.delete(record.id) && record.id !== created)
      content = putRecord(content, kind, record, provider)
  if (id !== undefined && status === 404 && project.uncertain.delete(id)) content = removeRecord(content, kind, id)
  return { content: addLocale(content, call), created, now }
}

/** Returns the active link before its cancellation. */
const activate = (link: ShownRecord): ShownRecord => ({ ...link, status: 'active', canceledAt: null })

/** A user without a locale shows that of the project. */
const addLocale = (content: Content, { operation, sent, shown: [first] }: ServiceCall): Content => {
  const takesDefault =
    (operation === 'createUser' && (sent.preferredLocale ?? null) === null) ||
    (operation === 'updateUser' && sent.preferredLocale === null)
  const locale = takesDefault ? User.shape.preferredLocale.safeParse(first?.preferredLocale).data : undefined
  return locale === undefined || content.preferredLocale !== undefined
    ? content
    : { ...content, preferredLocale: locale }
}

/** Remembers what a call has shown. `isPast`: its list is that of an earlier content. */
export const remember = (
  call: ServiceCall,
  knowledge: RunKnowledge,
  { content: before, situation, raced }: PreparedCall,
  isPast: boolean,
  provider: string,
): void => {
  const { kind, shown, method } = call
  const project = getKnowledgeOf(knowledge, call.project)
  const isSuccess = call.status < 300
  let content = before
  if (isSuccess && call.isWrite) {
    content ??= emptyContent
    if (call.operation === 'deleteUser' && call.id !== undefined) content = removeRecord(content, kind, call.id)
    else
      for (const record of shown)
        // A replayed create returns its first response. After a simultaneous deletion the record does not exist.
        if (call.isCreate ? record.id === situation.given.id : !raced.some(isDeletionOf(record.id)))
          content = putRecord(content, kind, record, provider)
    const { id } = call
    // The order of two simultaneous changes is unknown, but a deletion is always the last one.
    if (id !== undefined && raced.some((other) => other.id === id) && ![call, ...raced].some(isDeletionOf(id)))
      project.uncertain.add(id)
    for (const { id } of shown) knowledge.own.add(id)
  } else if (isSuccess && content !== undefined && method !== 'HEAD') {
    for (const record of isPast ? [] : shown)
      if (isTrusted(record, call, knowledge, project, content, provider))
        content = putRecord(content, kind, record, provider)
  }
  if (isSuccess && call.key !== undefined && !project.keyed.has(getKey(call)))
    project.keyed.set(getKey(call), { call, content: situation.content, given: situation.given })
  if (before !== undefined && before !== content) {
    const recent = project.past.filter(({ endedBy }) => endedBy.end > call.start - maxLag)
    project.past = [...recent.slice(1 - maxPast), { content: before, endedBy: call }]
  }
  project.content = content
  for (const record of shown) noteRecord(record, call, knowledge)
  if (call.isList && isSuccess) noteList(call, project)
}

const isDeletionOf =
  (deleted: string) =>
  ({ operation, id, status }: ServiceCall): boolean =>
    operation === 'deleteUser' && id === deleted && status < 300

/** Whether a read corrects a record. A stale read does not. A list may be stale, so it corrects only records of others. */
const isTrusted = (
  record: ShownRecord,
  { isList, kind }: ServiceCall,
  { own }: RunKnowledge,
  { past }: ProjectKnowledge,
  content: Content,
  provider: string,
): boolean => {
  const fields = findRecord(content, kind, record.id)
  if (fields === undefined || (isList && own.has(record.id))) return false
  const shown = toEntry(kind, record, fields, provider)
  return !past.some((one) => hasSameJson(findEntry(one.content, kind, record.id), shown))
}

const noteRecord = (record: ShownRecord, { project }: ServiceCall, { owners, paymentUrls }: RunKnowledge) => {
  const { id, paymentUrl } = record
  if (!owners.has(id)) owners.set(id, project)
  if (typeof paymentUrl !== 'string' || paymentUrls.has(id)) return
  paymentUrls.set(id, paymentUrl)
  if (!paymentUrls.has(paymentUrl)) paymentUrls.set(paymentUrl, id)
}

/** Notes whether the run has now seen all records of a kind. */
const noteList = ({ kind, query, json, shown, operation }: ServiceCall, { complete, heads }: ProjectKnowledge) => {
  if (operation === 'searchUsers' || query.has('status') || query.has('invoice') || query.has('before')) return
  const after = query.get('after')
  if (after !== null && !heads.has(after)) return
  const more = (json as { readonly moreItemsAfter?: unknown } | undefined)?.moreItemsAfter
  if (more === null && query.get('limit') !== '0') complete.add(kind)
  const last = shown.at(-1)
  if (last !== undefined) heads.add(last.id)
}
