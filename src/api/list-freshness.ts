import type { Past } from '../domain/history.ts'
import type { RecordKind } from '../domain/kinds.ts'
import { MockError } from '../schema/error.ts'
import type { RequestContext } from './request-context.ts'

/** How long lists lag behind with `listFreshness=delayed`, in milliseconds of the mock clock. */
const lag = 2000
const delayed: Past = { milliseconds: lag }

/**
 * Runs a list or a search on the state that it shows: the current one, or that of 2,000 ms ago. Assumed: if a fault shows
 * an earlier state, the older of both is shown.
 *
 * The response depended on the behavior if that of the other state differs.
 */
export const runList = (
  context: RequestContext,
  kind: RecordKind,
  run: (context: RequestContext) => string,
): string => {
  const { options, project, behaviors, past } = context
  const late = past === undefined ? delayed : { ...past, milliseconds: Math.max(lag, past.milliseconds ?? 0) }
  const isDelayed = behaviors.listFreshness === 'delayed'
  if (isDelayed) context.past = late
  // Nearly always: the other state is that of a moment without recent changes.
  if (!options.store.isChangedBetween(project, kind, late, past)) return run(context)
  const otherContext = Object.assign({}, context, withoutTraces(context), { past: isDelayed ? past : late })
  const other = describe(() => run(otherContext))
  const assume = (shown: string) => {
    if (shown !== other) context.getBehavior('listFreshness')
  }
  try {
    const text = run(context)
    assume(text)
    return text
  } catch (error) {
    assume(describeError(error))
    throw error
  }
}

/** Only the response that is sent notes its behaviors and violations. */
const withoutTraces = ({ behaviors }: RequestContext): Pick<RequestContext, 'getBehavior' | 'violations'> => ({
  getBehavior: (key) => behaviors[key],
  violations: [],
})

/** Returns the JSON of a list, or a description of its error. */
const describe = (run: () => string): string => {
  try {
    return run()
  } catch (error) {
    return describeError(error)
  }
}

const describeError = (error: unknown): string =>
  error instanceof MockError ? JSON.stringify([error.code, error.message, error.hint, error.details]) : String(error)
