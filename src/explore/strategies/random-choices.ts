// A strategy: makes seeded random choices until a limit ends the search.
import { createDraws } from '../../core/mock/extension.ts'
import { countFaults } from '../fault-schedules.ts'
import type { RunResult } from './order-search.ts'
import { type Runner, type SearchSettings, type Strategy, requestRun } from './strategy.ts'
import type { CallFault } from '../schedule-text.ts'
import type { Decide } from '../steps.ts'

export function* tryRandomChoices<R extends RunResult>(settings: SearchSettings, runner: Runner<R>): Strategy<R> {
  const decide = drawChoices(settings, createDraws('interleave'))
  for (;;) yield requestRun(runner, decide)
}

const drawChoices = ({ effects, faults }: SearchSettings, draw: () => number): Decide => {
  const pickRandom = <T>(values: readonly T[]): T | undefined => values[draw() % values.length]
  const effectPhases = Object.entries(effects).flatMap(([effect, value]) =>
    value.phases.map((phase) => ({ phase, effect })),
  )
  return (ready, steps) => {
    const isFaulty = countFaults(steps) < faults && draw() % 8 === 0
    const choice = pickRandom(ready)
    const isPossible = ({ effect }: CallFault) =>
      !effects[effect]!.isOnce || steps.every(({ fault }) => fault?.effect !== effect)
    return choice && { choice, fault: isFaulty ? pickRandom(effectPhases.filter(isPossible)) : undefined }
  }
}
