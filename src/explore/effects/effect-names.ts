import { errors } from '../../core/schema/error.ts'
import { formatList, quote } from '../../core/schema/problem.ts'
import { findNearest } from '../../core/schema/text.ts'
import type { Effects, NamedEffect } from './effect.ts'
import { namedEffects } from './named-effects.ts'

const effectGroups = {
  default: Object.entries<NamedEffect>(namedEffects).flatMap(([name, { isDefault }]) => (isDefault ? [name] : [])),
  all: Object.keys(namedEffects),
}
export type EffectName = keyof typeof namedEffects | keyof typeof effectGroups

/**
 * Looks up built-in effects by name. Expands the groups `default` and `all`.
 *
 * @param effectSource the option or flag that lists the names, for error messages
 * @param known the names to accept. @default every effect and group
 * @throws MockError `invalidOptions` for an unknown name
 */
export const getNamedEffects = (
  effectSource: string,
  names: readonly string[] = ['default'],
  known: Readonly<Record<string, unknown>> = { ...namedEffects, ...effectGroups },
): Effects => {
  requireEffects(effectSource, names, known)
  return Object.fromEntries(expandNames(names).map((name) => [name, namedEffects[name as keyof typeof namedEffects]]))
}

const expandNames = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => (name === 'default' || name === 'all' ? effectGroups[name] : [name]))

/** Expands the groups in a list of effect names. Of a group, keeps only the effects that this search tries. */
export const selectEffects = (effectSource: string, names: readonly string[], effects: Effects): readonly string[] => {
  const singleEffects = names.filter((name) => !Object.hasOwn(effectGroups, name) || Object.hasOwn(effects, name))
  requireEffects(effectSource, singleEffects, { ...effects, ...effectGroups })
  const groupedEffects = expandNames(names.filter((name) => !singleEffects.includes(name)))
  return [...singleEffects, ...groupedEffects.filter((name) => Object.hasOwn(effects, name))]
}

export const requireEffects = (
  effectSource: string,
  names: readonly string[],
  effects: Readonly<Record<string, unknown>>,
): void => {
  const effectNames = Object.keys(effects)
  const unknownEffect = names.find((name) => !effectNames.includes(name))
  if (unknownEffect === undefined) return
  if (Object.hasOwn(namedEffects, unknownEffect)) {
    const list = effectSource.startsWith('--') ? '--effects' : 'effects'
    const message = `${effectSource} names the effect ${quote(unknownEffect)}, which is not tried: add it to ${list}.`
    throw errors.invalidOptions({ message })
  }
  const nearestEffect = findNearest(unknownEffect, effectNames)
  const hint = nearestEffect === undefined ? '' : ` Did you mean ${quote(nearestEffect)}?`
  const message = `${effectSource} names the unknown effect ${quote(unknownEffect)}. The effects are ${formatList(effectNames)}.${hint}`
  throw errors.invalidOptions({ message })
}
