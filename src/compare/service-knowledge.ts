// Tracks the state of the service: `createPredictionInput` adds facts from a response, and `rememberCall` applies its changes.
import { hasSameJson, isRecord } from '../core/schema/json-value.ts'
import {
  addLocale,
  addPayments,
  addUnseenRecords,
  type ProjectContent,
  emptyContent,
  findEntry,
  forgetRecord,
  isActive,
  putRecord,
  removeRecord,
  toEntry,
} from './project-content.ts'
import { isTime, parseTime, type ServiceCall, type ShownRecord } from './recorded-calls.ts'
import { isDuring, type ServiceRun } from './service-run.ts'

/** How far a list may lag behind the records, in milliseconds. */
const maxListLag = 10_000
const maxPastContents = 100

export const createKnowledge = () => {
  const sharedKnowledge = {
    /** The project of each record, by record id. */
    owners: new Map<string, string>(),
    paymentUrls: new Map<string, string>(),
    /** The ids of the records that the program created or changed. */
    changedIds: new Set<string>(),
  }
  const createProject = () => ({
    ...sharedKnowledge,
    content: undefined as ProjectContent | undefined,
    /** Oldest first. */
    past: [] as PredictionInput['past'],
    firstByKey: new Map<string, PredictionInput>(),
    /** When a response first showed a record that no earlier call had created, by record id. */
    firstShown: new Map<string, number>(),
    /** The ids of records in an uncertain state, because a write overlapped or was not compared, or a payment was assumed. */
    uncertainIds: new Set<string>(),
    /** The kinds whose records have all been shown. */
    completeKinds: new Set<string>(),
    /** The last id of each page for which all preceding pages have been shown. */
    pageEnds: new Set<string>(),
  })
  const projects = new Map<string, ReturnType<typeof createProject>>()
  return {
    changedIds: sharedKnowledge.changedIds,
    projects,
    getProject: ({ project }: ServiceCall) => {
      const projectKnowledge = projects.get(project) ?? createProject()
      projects.set(project, projectKnowledge)
      return projectKnowledge
    },
  }
}

type ProjectKnowledge = ReturnType<ReturnType<typeof createKnowledge>['getProject']>

/** Everything that affects the prediction and comparison of a call, except behaviors. */
export interface PredictionInput {
  readonly call: ServiceCall
  readonly overlapping: readonly ServiceCall[]
  /** The content before the call, plus facts that only the response reveals. Undefined if the project is unknown. */
  readonly content: ProjectContent | undefined
  /** `content`, plus changes by overlapping calls if the response shows them. */
  readonly shownContent: ProjectContent | undefined
  readonly change: ServiceChange | undefined
  /** The projects that the token can access. Undefined means all projects. Empty if the token is invalid. */
  readonly tokenProjects?: readonly string[] | undefined
  /** Set if a 404 may mean that the token cannot access this project: the projects that it can access. */
  readonly projectsIfHidden?: readonly string[] | undefined
  /** The first call with the same `Idempotency-Key`. */
  readonly firstWithKey: PredictionInput | undefined
  /** Earlier versions of `content` that a list may show, newest first, each with the call that replaced it. Only for lists. */
  readonly past: readonly { readonly content: ProjectContent; readonly endedBy: Pick<ServiceCall, 'start' | 'end'> }[]
  /** Whether earlier calls have shown all records of this kind. */
  readonly isComplete: boolean
  /** Maps each link id to its payment URL, and each payment URL to its link id. */
  readonly paymentUrls: ReadonlyMap<string, string>
}

const getIdempotencyKey = ({ method, target, key }: ServiceCall): string => `${method} ${target} ${key}`

/** Collects the input of a prediction. The content includes facts that only the response reveals, such as unknown records. */
export const createPredictionInput = (
  call: ServiceCall,
  project: ProjectKnowledge,
  run: ServiceRun,
): PredictionInput => {
  const overlapping = run.overlapping.get(call) ?? []
  // Any other status proves that the project exists.
  const isShown = ![401, 403, 404, 405].includes(call.status)
  const invoices = run.invoices.get(call.project) ?? emptyContent.invoices
  const before = project.content ?? (isShown ? { ...emptyContent, invoices } : undefined)
  const change = before && (call.isCreate ? findCreation : findCancellation)(call, before, project, run)
  const content = before && addFacts(call, change?.content ?? before, project, change)
  const oldestEnd = call.start - (run.freshness?.age ?? maxListLag)
  return {
    call,
    overlapping,
    content,
    shownContent: content && resolveOverlaps(content, call, overlapping),
    change,
    ...findTokenProjects(call, run),
    firstWithKey: call.key === undefined ? undefined : project.firstByKey.get(getIdempotencyKey(call)),
    past:
      call.isList && call.status < 300
        ? project.past.filter(({ endedBy }) => endedBy.end >= oldestEnd).toReversed()
        : [],
    isComplete: project.completeKinds.has(call.kind),
    paymentUrls: project.paymentUrls,
  }
}

const findTokenProjects = (
  { status, token, project }: ServiceCall,
  { accepted }: ServiceRun,
): Pick<PredictionInput, 'tokenProjects' | 'projectsIfHidden'> => {
  if (token === undefined || ![401, 403, 404].includes(status)) return {}
  const projects = accepted.get(token)
  if (projects?.has(project)) return {}
  if (status !== 404) return { tokenProjects: [...(projects ?? [])] }
  const hasOtherToken = [...accepted].some(
    ([acceptedBearer, acceptedProjects]) => acceptedBearer !== token && acceptedProjects.has(project),
  )
  // A token that the service has never accepted may belong to an unknown project, named '' here.
  return hasOtherToken ? { tokenProjects: projects && [...projects] } : { projectsIfHidden: [...(projects ?? [''])] }
}

/** The creation or cancellation of a record, as shown by a response. */
interface ServiceChange {
  /** Milliseconds since 1970, on the clock of the service. */
  readonly at: number
  /** The content before the change. */
  readonly content: ProjectContent
  readonly createdId?: string
}

const findCreation = (
  call: ServiceCall,
  before: ProjectContent,
  { firstShown }: ProjectKnowledge,
): ServiceChange | undefined => {
  const [record] = call.shownRecords
  if (record === undefined) return undefined
  // An overlapping call may already have shown the record.
  const wasShown = (firstShown.get(record.id) ?? -Infinity) >= call.start
  const content = wasShown ? forgetRecord(before, call.kind, record.id) : before
  if (findEntry(content, call.kind, record.id) !== undefined) return undefined
  return { at: parseTime(record.createdAt), content, createdId: record.id }
}

const findCancellation = (
  call: ServiceCall,
  content: ProjectContent,
  { past }: ProjectKnowledge,
  run: ServiceRun,
): ServiceChange | undefined => {
  const [link] = call.shownRecords
  if (call.operation !== 'cancelPaymentLink' || link === undefined || !isTime(link.canceledAt)) return undefined
  const at = parseTime(link.canceledAt)
  const isKnown = findEntry(content, 'paymentLinks', link.id) !== undefined
  if (isKnown ? isActive(content, link.id) : isDuring(call, at, run)) return { at, content }
  // An overlapping read may already have shown the link as canceled.
  const wasActive = past.some((earlier) => earlier.endedBy.end >= call.start && isActive(earlier.content, link.id))
  return isKnown && wasActive ? { at, content: putRecord(content, 'paymentLinks', undoCancellation(link)) } : undefined
}

const undoCancellation = (link: ShownRecord): ShownRecord => ({ ...link, status: 'active', canceledAt: null })

const addFacts = (
  call: ServiceCall,
  before: ProjectContent,
  project: ProjectKnowledge,
  change: ServiceChange | undefined,
): ProjectContent => {
  const { kind, shownRecords, id, status } = call
  const isNew = (record: ShownRecord) =>
    findEntry(before, kind, record.id) === undefined && (project.owners.get(record.id) ?? call.project) === call.project
  const unseenRecords = call.isCreate ? [] : shownRecords.filter(isNew)
  for (const record of unseenRecords) project.firstShown.set(record.id, call.end)
  const olderRecords = change === undefined ? unseenRecords : unseenRecords.map(undoCancellation)
  const addShownRecords = (to: ProjectContent) => addUnseenRecords(to, kind, olderRecords)
  let content = addShownRecords(before)
  // Nothing shows when these records were created, so assume that they have always existed.
  if (content !== before)
    project.past = project.past.map((earlier) => ({ ...earlier, content: addShownRecords(earlier.content) }))
  content = addPayments(content, call)
  for (const record of shownRecords)
    if (project.uncertainIds.delete(record.id) && record.id !== change?.createdId)
      content = putRecord(content, kind, record)
  if (id !== undefined && status === 404 && project.uncertainIds.delete(id)) content = removeRecord(content, kind, id)
  return addLocale(content, call)
}

/** Applies the changes by overlapping calls that the response shows. Their order relative to the call is unknown. */
const resolveOverlaps = (
  content: ProjectContent,
  call: ServiceCall,
  overlapping: readonly ServiceCall[],
): ProjectContent => {
  let resolvedContent = content
  for (const { operation, isCreate, shownRecords: changedRecords, kind, id } of overlapping) {
    const target = id ?? changedRecords[0]?.id
    const record = call.shownRecords.find((shown) => shown.id === target)
    if (target === undefined) continue
    if (record !== undefined)
      resolvedContent = call.isCreate ? resolvedContent : putRecord(resolvedContent, kind, record)
    else if (call.isList ? isCreate || operation === 'deleteUser' : call.status === 404)
      resolvedContent = isCreate
        ? forgetRecord(resolvedContent, kind, target)
        : removeRecord(resolvedContent, kind, target)
  }
  return resolvedContent
}

export const rememberCall = (input: PredictionInput, project: ProjectKnowledge, isStale: boolean): void => {
  const { call, content: before } = input
  const isSuccess = call.status < 300
  let content = before
  if (isSuccess && call.isWrite) content = applyWrite(input, project)
  else if (isSuccess && !isStale && before !== undefined) content = applyRead(call, project, before)
  if ((isSuccess || call.status === 409) && call.key !== undefined && !project.firstByKey.has(getIdempotencyKey(call)))
    project.firstByKey.set(getIdempotencyKey(call), input)
  if (before !== undefined && before !== content) {
    const recent = project.past.filter(({ endedBy }) => endedBy.end > call.start - maxListLag)
    project.past = [...recent.slice(1 - maxPastContents), { content: before, endedBy: call }]
  }
  project.content = content
  for (const record of call.shownRecords) noteRecord(record, call, project)
  if (call.isList && isSuccess) noteList(call, project)
}

const applyWrite = (
  { call, overlapping, content = emptyContent, change }: PredictionInput,
  project: ProjectKnowledge,
) => {
  const { kind, id, shownRecords } = call
  const deletions = [call, ...overlapping].filter(({ operation, status }) => operation === 'deleteUser' && status < 300)
  const deletedIds = new Set(deletions.map((deletion) => deletion.id))
  // The order of two simultaneous changes is unknown, except that a deletion always comes last.
  if (id !== undefined && overlapping.some((other) => other.id === id) && !deletedIds.has(id))
    project.uncertainIds.add(id)
  for (const record of shownRecords) project.changedIds.add(record.id)
  if (call.operation === 'deleteUser' && id !== undefined) return removeRecord(content, kind, id)
  // A replayed create changes nothing, and a simultaneous deletion removes the record.
  return shownRecords
    .filter((record) => (call.isCreate ? record.id === change?.createdId : !deletedIds.has(record.id)))
    .reduce((next, record) => putRecord(next, kind, record), content)
}

/**
 * Updates known records from a read. Ignores records that equal an earlier version, because the read may be stale. In lists,
 * also ignores records that the program created or changed, because a list may lag behind.
 */
const applyRead = (
  { kind, shownRecords, isList }: ServiceCall,
  { changedIds, past }: ProjectKnowledge,
  before: ProjectContent,
): ProjectContent => {
  const isTrusted = (record: ShownRecord) => {
    const fields = findEntry(before, kind, record.id)?.fields
    if (fields === undefined || (isList && changedIds.has(record.id))) return false
    const entry = toEntry(kind, record, fields)
    return !past.some((earlier) => hasSameJson(findEntry(earlier.content, kind, record.id), entry))
  }
  return shownRecords.filter(isTrusted).reduce((content, record) => putRecord(content, kind, record), before)
}

const noteRecord = (record: ShownRecord, { project }: ServiceCall, { owners, paymentUrls }: ProjectKnowledge) => {
  const { id, paymentUrl } = record
  if (!owners.has(id)) owners.set(id, project)
  if (typeof paymentUrl !== 'string' || paymentUrls.has(id)) return
  paymentUrls.set(id, paymentUrl)
  if (!paymentUrls.has(paymentUrl)) paymentUrls.set(paymentUrl, id)
}

/** Marks the kind as complete if the pages from first to last have been shown. */
const noteList = (
  { kind, query, json, shownRecords, operation }: ServiceCall,
  { completeKinds, pageEnds }: ProjectKnowledge,
) => {
  if (operation === 'searchUsers' || query.has('status') || query.has('invoice') || query.has('before')) return
  const after = query.get('after')
  if (after !== null && !pageEnds.has(after)) return
  if (isRecord(json) && json.moreItemsAfter === null && query.get('limit') !== '0') completeKinds.add(kind)
  const lastShown = shownRecords.at(-1)
  if (lastShown !== undefined) pageEnds.add(lastShown.id)
}
