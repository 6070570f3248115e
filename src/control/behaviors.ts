import { setBehaviors } from '../domain/documents.ts'
import { behaviorKeys, type BehaviorReadings, behaviorRegistry, type Behaviors } from '../schema/behavior.ts'
import type { ControlOptions, Handlers } from './task.ts'

/** How the mock reads what the specification leaves open, for all projects and those to come, or for one. */
export const behaviorVerbs = ({ world }: ControlOptions): Handlers<'readBehaviors' | 'changeBehaviors'> => {
  const ofOne = (project: string) => shown(world.behaviorsOf(project))
  const ofAll = () => shown(world.behaviorsOf(''))
  return {
    readBehaviors: { one: ({ project }) => ofOne(project), all: ofAll },
    changeBehaviors: {
      one: ({ project, body }) => {
        setBehaviors(world, body, project)
        return ofOne(project)
      },
      all: ({ body }) => {
        setBehaviors(world, body)
        return ofAll()
      },
    },
  }
}

const shown = (values: Behaviors): BehaviorReadings => ({ values: { ...values }, registry: [...registry] })

const registry: BehaviorReadings['registry'] = behaviorKeys.map((key) => {
  const { values, spec, summary } = behaviorRegistry[key]
  return { key, values: [...values], default: values[0], spec, summary }
})
