// Formats and parses schedules: the faults or steps of a run, as the text that users pass to `only` and `replay`.
import { errors, type MockError } from '../core/schema/error.ts'
import * as z from 'zod/mini'
import { quote } from '../core/schema/problem.ts'

export interface CallFault {
  /** Whether the effect applies before or after the operation. */
  readonly phase: 'before' | 'after'
  /** The name of the effect. */
  readonly effect: string
  /** Which of the client's active payment links is paid or canceled: 1 for the oldest. @default 1 */
  readonly link?: number | undefined
}

/** A fault and the call that it applies to. */
export interface FaultPlace extends CallFault {
  /** The position of the call in the run, from 1. */
  readonly call: number
  /** The id of the operation. */
  readonly operation: string
}
export const FaultPlace = z.object({
  call: z.int().check(z.minimum(1)),
  operation: z.string(),
  phase: z.enum(['before', 'after']),
  effect: z.string(),
  link: z.optional(z.int().check(z.minimum(2))),
})

// Characters with a special meaning in a schedule or in shell quotes.
const reserved = /[%,*!:.+()'"`\\\s\p{Cc}]/gu

export const encodeName = (name: string): string =>
  name.replace(reserved, (character) =>
    "!*.'()".includes(character)
      ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(character),
  )

const decodeName = (text: string, schedule: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidSchedule(schedule, `${quote(text)} is not percent-encoded correctly.`)
  }
}

/** Returns text such as `after.reset` or `before.paid:2`. */
const formatFault = ({ phase, effect, link }: CallFault): string =>
  `${phase}.${encodeName(effect)}${link === undefined ? '' : `:${link}`}`

const faultPattern = '(?<phase>before|after)\\.(?<effect>[^,*!:.+()]+)(?::(?<link>[2-9]|[1-9]\\d+))?'

const readFault = ({ phase, effect = '', link }: Readonly<Record<string, string>>, schedule: string): CallFault => {
  if (link !== undefined && effect !== 'paid' && effect !== 'canceled')
    throw invalidSchedule(schedule, "Only 'paid' and 'canceled' have the number of a link.")
  return {
    phase: phase as CallFault['phase'],
    effect: decodeName(effect, schedule),
    ...(link !== undefined && { link: Number(link) }),
  }
}

/** Returns text such as `1.after.reset+2.before.unavailable`. */
export const formatPlaces = (places: readonly FaultPlace[]): string =>
  places.map((place) => `${place.call}.${formatFault(place)}`).join('+')

/** Parses the output of `formatPlaces`, which does not name the operations. */
export const parsePlaces = (schedule: string): Omit<FaultPlace, 'operation'>[] => {
  const calls = new Set<string>()
  return schedule.split('+').map((part) => {
    const { call, ...fault } = placePattern.exec(part)?.groups ?? {}
    if (call === undefined) throw invalidSchedule(schedule, "A fault has the form '1.after.reset'.", part)
    if (calls.has(call)) throw invalidSchedule(schedule, 'A call has only one fault.', part)
    calls.add(call)
    return { call: Number(call), ...readFault(fault, schedule) }
  })
}

const placePattern = new RegExp(`^(?<call>[1-9]\\d*)\\.${faultPattern}$`)

interface OrderStep {
  /** For the actor `first`: `first` for its first waiting call, `first:2` for its second, `first:sleep` for a sleep. */
  readonly text: string
  readonly fault: CallFault | undefined
}

/** Returns text such as `first!after.reset`. */
export const formatStep = ({ text, fault }: OrderStep): string =>
  fault === undefined ? text : `${text}!${formatFault(fault)}`

export const parseStep = (step: string, schedule = step): OrderStep => {
  const { text, ...fault } = stepPattern.exec(step)?.groups ?? {}
  if (text === undefined) throw invalidSchedule(schedule, "A step has the form 'a', 'a:2' or 'a!after.reset'.", step)
  return { text, fault: fault.effect === undefined ? undefined : readFault(fault, schedule) }
}

const stepPattern = new RegExp(`^(?<text>[^,*!:.+()]+(?::(?:[2-9]|[1-9]\\d+|sleep\\d*))?)(?:!${faultPattern})?$`)

export const getActor = (step: string): string => decodeName(/^[^:!]*/.exec(step)![0], step)

/** The maximum number of steps in a group such as `(a,b)*3`. */
const maxGroup = 8

/** Returns text such as `first,second*2` or `(first:sleep,first)*499`. */
export const formatOrder = (steps: readonly string[]): string => {
  const parts: string[] = []
  for (let index = 0; index < steps.length;) {
    const { length, count } = findRepetition(steps, index)
    const group = steps.slice(index, index + length).join(',')
    parts.push(count === 1 ? group : `${length === 1 ? group : `(${group})`}*${count}`)
    index += length * count
  }
  return parts.join(',')
}

/** Finds the repetition at `start` that covers the most steps. A group of several steps must occur at least three times. */
const findRepetition = (steps: readonly string[], start: number): { length: number; count: number } => {
  let best = { length: 1, count: 1 }
  for (let length = 1; length <= maxGroup; length++) {
    let end = start + length
    while (end < steps.length && steps[end] === steps[end - length]) end++
    const count = Math.floor((end - start) / length)
    if (count >= (length === 1 ? 2 : 3) && length * count > best.length * best.count) best = { length, count }
  }
  return best
}

export const parseOrder = (schedule: string): string[] =>
  (schedule.match(/\([^)]*\)[^,]*|[^,]+|(?<=,|^)(?=,|$)/g) ?? ['']).flatMap((part) => {
    const [, group, step = group, count = '1'] = /^(?:\((.+)\)|([^()]*?))(?:\*([1-9]\d{0,5}))?$/.exec(part) ?? []
    if (step === undefined) throw invalidSchedule(schedule, "Repeated steps have the form 'a*3' or '(a,b)*3'.", part)
    const steps = step.split(',')
    for (const one of steps) parseStep(one, schedule)
    return Array.from({ length: Number(count) }, () => steps).flat()
  })

const invalidSchedule = (schedule: string, hint: string, part = schedule): MockError =>
  errors.invalidOptions({
    message:
      schedule === ''
        ? `The schedule must not be empty. ${hint}`
        : `The schedule ${quote(schedule)} cannot be read${part === schedule ? '' : ` at ${quote(part)}`}. ${hint}`,
  })
