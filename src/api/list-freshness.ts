import type { Past } from '../domain/history.ts'
import type { RecordKind } from '../domain/kinds.ts'
import { MockError } from '../schema/error.ts'
import type { RequestContext } from './request-context.ts'

/** How long lists lag behind with `listFreshness=delayed`, in milliseconds of the mock clock. */
const listLag = 2000
const delayedState: Past = { milliseconds: listLag }

/**
 * Runs a list or a search on the state that it shows: the current one, or that of 2,000 ms ago. Assumed: if a fault shows
 * an earlier state, the older of both is shown.
 *
 * The response depended on the behavior if that of the other state differs.
 */
export const runList = (
  context: RequestContext,
  kind: RecordKind,
  runOnState: (context: RequestContext) => string,
): string => {
  const { options, project, behaviors, past } = context
  const lateState =
    past === undefined ? delayedState : { ...past, milliseconds: Math.max(listLag, past.milliseconds ?? 0) }
  const isDelayed = behaviors.listFreshness === 'delayed'
  if (isDelayed) context.past = lateState
  // Nearly always: the other state is that of a moment without recent changes.
  if (!options.store.isChangedBetween(project, kind, lateState, past)) return runOnState(context)
  const otherContext = context.copyWith({ ...withoutTraces(context), past: isDelayed ? past : lateState })
  const otherResponse = describeListResponse(() => runOnState(otherContext))
  const assumeFreshness = (shownResponse: string) => {
    if (shownResponse !== otherResponse) context.getBehavior('listFreshness')
  }
  try {
    const listText = runOnState(context)
    assumeFreshness(listText)
    return listText
  } catch (error) {
    assumeFreshness(describeListError(error))
    throw error
  }
}

/** Only the response that is sent notes its behaviors and violations. */
const withoutTraces = ({ behaviors }: RequestContext): Pick<RequestContext, 'getBehavior' | 'violations'> => ({
  getBehavior: (key) => behaviors[key],
  violations: [],
})

/** Returns the JSON of a list, or a description of its error. */
const describeListResponse = (runList: () => string): string => {
  try {
    return runList()
  } catch (error) {
    return describeListError(error)
  }
}

const describeListError = (error: unknown): string =>
  error instanceof MockError ? JSON.stringify([error.code, error.message, error.hint, error.details]) : String(error)
