import { deriveId } from '../domain/ids.ts'
import { redactedHeaders } from '../domain/tokens.ts'
import { Refusal } from '../schema/error.ts'
import type { Fault, FaultRule } from '../schema/fault.ts'
import { createBodyReader, matches, withoutSecrets } from './matching.ts'
import type { Sighting } from './record.ts'
import { createWindows, type Limited, type Windows } from './windows.ts'

/** A fault that has been chosen for a request. */
interface Strike {
  readonly id: string
  readonly rule: FaultRule
  /** Of a rate limit: how long until the next window. */
  readonly limited: Limited | undefined
}

/** What choosing needs of the world. */
export interface Chance {
  /** The next of the project's seeded draws, from 0 to below 1. */
  readonly draw: (project: string) => number
  /** Milliseconds since 1970, by the clock of the project. */
  readonly now: (project: string) => number
}

/** The rules by which requests are broken: those of single projects, and those for all, with one count each. */
export interface Faults {
  add(rule: FaultRule, project?: string): Fault
  /** Those of one project, or all there are. */
  list(project?: string): Fault[]
  get(id: string, project?: string): Fault
  remove(id: string, project?: string): void
  removeAll(project?: string): void
  /** As at start: no rules, and their ids begin anew. */
  reset(project?: string): void
  /** Whether any rule could be about a request to this project. */
  concern(project: string): boolean
  /** The newest rule that still can strike this request. It counts as a hit. */
  choose(sighting: Sighting & { readonly project: string }): Strike | undefined
  /** The state of a project was replaced: its windows begin anew. */
  replaced(project?: string): void
}

interface Rule {
  readonly id: string
  readonly project: string | undefined
  readonly rule: FaultRule
  readonly windows: Windows
  skipped: number
  hits: number
}

export const createFaults = ({ draw, now }: Chance): Faults => {
  let rules: readonly Rule[] = []
  const made = new Map<string | undefined, number>()
  const isIn = (project: string | undefined) => (one: Rule) => project === undefined || one.project === project
  const find = (id: string, project: string | undefined): Rule => {
    const found = rules.find((one) => one.id === id && isIn(project)(one))
    if (found === undefined)
      throw new Refusal('faultNotFound', `No fault '${id}'.`, { hint: hintOf(rules.filter(isIn(project))) })
    return found
  }
  const removeAll = (project?: string) => {
    rules = rules.filter((one) => !isIn(project)(one))
  }
  return {
    add: (given, project) => {
      const rule = given.match === undefined ? given : { ...given, match: withoutSecrets(given.match) }
      const count = made.get(project) ?? 0
      made.set(project, count + 1)
      const id = deriveId('faults', project ?? '', 'flt', count)
      const added: Rule = { id, project, rule, windows: createWindows(rule.effect.rateLimit), skipped: 0, hits: 0 }
      // Newest first: that is the order in which they are asked.
      rules = [added, ...rules]
      return faultOf(added)
    },
    list: (project) => rules.filter(isIn(project)).toReversed().map(faultOf),
    get: (id, project) => faultOf(find(id, project)),
    remove: (id, project) => {
      const found = find(id, project)
      rules = rules.filter((one) => one !== found)
    },
    removeAll,
    reset: (project) => {
      removeAll(project)
      if (project === undefined) made.clear()
      else made.delete(project)
    },
    concern: (project) => rules.some((one) => one.project === undefined || one.project === project),
    choose: (sighting) => {
      const { project } = sighting
      const readBody = createBodyReader()
      for (const one of rules) {
        if (one.project !== undefined && one.project !== project) continue
        if (remainingOf(one) === 0 || !matches(one.rule.match ?? {}, sighting, readBody)) continue
        if (one.skipped < (one.rule.skip ?? 0)) {
          one.skipped++
          continue
        }
        const { probability = 1 } = one.rule
        if (probability < 1 && draw(project) >= probability) continue
        const limited = one.windows.take(project, now)
        if (limited === 'within') continue
        one.hits++
        return { id: one.id, rule: one.rule, limited }
      }
      return undefined
    },
    replaced: (project) => {
      for (const one of rules) one.windows.forget(project)
    },
  }
}

const remainingOf = ({ rule, hits }: Rule): number | null => {
  if (rule.times === null || rule.effect.rateLimit !== undefined) return null
  return (rule.times ?? 1) - hits
}

// The client gets the headers as they were set; whoever reads the fault sees no secret.
const faultOf = (one: Rule): Fault => ({
  ...one.rule,
  effect: shownEffect(one.rule.effect),
  id: one.id,
  project: one.project ?? null,
  hits: one.hits,
  remaining: remainingOf(one),
})

const shownEffect = (effect: FaultRule['effect']): FaultRule['effect'] =>
  effect.headers === undefined ? effect : { ...effect, headers: redactedHeaders(effect.headers) }

const hintOf = (rules: readonly Rule[]): string =>
  rules.length === 0
    ? 'There is none.'
    : `There are: ${rules
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}.`
