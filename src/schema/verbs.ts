import type { z } from 'zod'
import type { MockEvent } from './event.ts'
import { paymentVerbs } from './payment-verbs.ts'
import { rowVerbs } from './row-verbs.ts'
import { stateVerbs } from './state-verbs.ts'
import { trafficVerbs } from './traffic-verbs.ts'
import type { Verb } from './verb.ts'

/** The contract of the control plane. */
export const verbs = { ...stateVerbs, ...rowVerbs, ...paymentVerbs, ...trafficVerbs }

export type Verbs = typeof verbs
export type VerbId = keyof Verbs
type Parsed<V extends VerbId, K extends keyof Verb> = Verbs[V] extends { readonly [P in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

/** What a verb answers for one project; undefined where it answers nothing. */
export type AnswerOf<V extends VerbId> =
  Parsed<V, 'response'> | (Verbs[V] extends { accepted: infer S extends z.ZodType } ? z.output<S> : never)
/** What a verb answers for all projects. */
export type AnswerForAll<V extends VerbId> = Verbs[V] extends { responseForAll: infer S extends z.ZodType }
  ? z.output<S>
  : AnswerOf<V>
/** What a verb is given for one project, and for all. */
export type BodyOf<V extends VerbId> = Parsed<V, 'body'>
export type BodyForAll<V extends VerbId> = Verbs[V] extends { bodyForAll: infer S extends z.ZodType }
  ? z.output<S>
  : BodyOf<V>
export type QueryOf<V extends VerbId> = Parsed<V, 'query'>

/** A call of a verb, as one writes it: the params of its path, and a body before it is parsed. Without `project` it is for all. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: unknown
}

/** Carries calls to a mock: embedded, or over HTTP. Refusals reject with a `Refusal`. */
export interface Send {
  /** For one project, or for what has no project. */
  one<V extends VerbId>(verb: V, call?: Call): Promise<AnswerOf<V>>
  /** For all projects. */
  all<V extends VerbId>(verb: V, call?: Call): Promise<AnswerForAll<V>>
  /** The events of a project or of all, behind the one that is named, or from now on. Begins with the first read. */
  follow(call: Call, after?: number): AsyncIterable<MockEvent>
}
