import type { BehaviorChoices, Behaviors } from '../schema/behavior.ts'
import type { ClockDocument, ClockStatus } from '../schema/clock-document.ts'
import { omitUndefined } from '../schema/json-value.ts'
import { advance, createClock, getClockStatus, readClock } from './clock.ts'
import type { Projects } from './projects.ts'
import type { ProjectSettings } from './project-state.ts'

interface SettingsOptions {
  readonly projects: Projects
  readonly systemNow: () => number
  /** Completes the due payments of a project. */
  readonly settle: (project: string) => void
}

/** Creates the parts of a store with the clocks and the behaviors of projects. An unknown project has the defaults. */
export const createSettings = ({ projects, systemNow, settle }: SettingsOptions) => {
  /** Changes the settings of one project, which is created if it is unknown, or of all, including future ones. */
  const change = (
    getChange: (settings: ProjectSettings, now: number) => Partial<ProjectSettings>,
    project: string | undefined,
  ): void => {
    const getNext = (settings: ProjectSettings) => getChange(settings, readClock(settings.clock, systemNow))
    const changeProject = (name: string) => {
      settle(name)
      const { state, commit } = projects.edit(name)
      Object.assign(state, getNext(state))
      commit()
    }
    if (project === undefined) projects.changeDefaults(getNext(projects.getDefaults()))
    const names = project === undefined ? projects.listNames() : [project]
    names.forEach(changeProject)
    // Payments that are due now are completed.
    names.forEach(settle)
  }
  return {
    clock: {
      /** Returns the time of the project's clock, in milliseconds since 1970. */
      getTime: (project: string): number => readClock(projects.getSettings(project).clock, systemNow),
      getStatus: (project: string): ClockStatus => getClockStatus(projects.getSettings(project).clock, systemNow),
      /** Sets the clock of one project, or of all. Without `now`, each clock starts at its current time. */
      set: (document: ClockDocument, project?: string): void =>
        change((_, now) => ({ clock: createClock(document, now) }), project),
      /** Advances the clock of one project or of all. A real clock is shifted. Payments that are due then are completed. */
      advance: (milliseconds: number, project?: string): void =>
        change(({ clock }) => ({ clock: advance(clock, milliseconds) }), project),
    },
    behaviors: {
      get: (project: string): Behaviors => projects.getSettings(project).behaviors,
      /** Sets behaviors of one project, or of all. The latter overrides those of single projects. */
      set: (choices: BehaviorChoices, project?: string): void =>
        change(({ behaviors }) => ({ behaviors: { ...behaviors, ...omitUndefined(choices) } }), project),
    },
  }
}
