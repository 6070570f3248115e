import { Refusal } from '../../schema/error.ts'
import type { Effect } from '../../schema/fault.ts'
import { onEndOf } from '../../wire/connection.ts'
import type { ApiOptions, Exchange } from '../exchange.ts'

/**
 * Lets the client wait. Answers whether it still waits afterwards. Refuses (`stateReplaced`, `stopping`) when the state
 * of the project was replaced meanwhile, or the mock stops.
 */
export const delay = async (
  exchange: Exchange,
  { world, traffic }: ApiOptions,
  { milliseconds, jitter = 0 }: NonNullable<Effect['delay']>,
): Promise<boolean> => {
  const project = exchange.project!
  const more = jitter === 0 ? 0 : Math.round(world.draw(project) * jitter)
  const end = await traffic.waits.wait({ project, milliseconds: milliseconds + more, onEnd: onEndOf(exchange) })
  return goesOn(project, end)
}

/** Whether there is still somebody to answer after a wait. */
export const goesOn = (project: string, end: 'elapsed' | 'gone' | 'replaced' | 'stopped'): boolean => {
  switch (end) {
    case 'elapsed':
      return true
    case 'gone':
      return false
    case 'replaced':
      throw new Refusal(
        'stateReplaced',
        `The state of project '${project}' was replaced while the request was under way.`,
      )
    case 'stopped':
      throw new Refusal('stopping', 'The server is stopping.')
  }
}
