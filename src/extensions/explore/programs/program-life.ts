// The life of a program in a run: it starts, ends, and may be killed and started again in between.
import type { EndedProgram, ProgramEnd } from './program-parts.ts'
import type { Member, RunState } from './run-state.ts'

export const startMember = (state: RunState, member: Member): void => {
  member.active = performance.now()
  const running = member.start()
  member.running = running
  const noteEnd = (end: ProgramEnd | undefined) => {
    // The end of a killed program is not that of the restarted one.
    if (end === undefined || member.running !== running || member.isCrashing) return
    member.end = { ...end, output: [...member.before, ...end.output] }
    if (!state.isOrdered) return
    if (member.waiting.length > 0) state.giveUp('a program ended while one of its calls waited')
    if (end.escaped.length > 0)
      state.giveUp(`a process outlived its program, and was ended with it: ${end.escaped.join(', ')}`)
  }
  void running.ended
    .catch(() => undefined)
    .then(noteEnd)
    .finally(state.wake)
}

/** Kills a program at a call, and starts it again when all of its processes have ended. */
export const crashMember = async (state: RunState, member: Member, call: number): Promise<void> => {
  member.isCrashing = true
  member.waiting = []
  member.running!.kill()
  const { output, escaped } = await member.running!.ended
  if (escaped.length > 0)
    state.giveUp(`a process left the group of the program, and outlived the crash: ${escaped.join(', ')}`)
  member.before = [...member.before, ...output, `(killed at call ${call}, and started again)`]
  state.addEvent(member, call, 'the program is killed, and starts again')
  member.isCrashing = false
  startMember(state, member)
}

/** Waits until all programs have ended. */
export const waitForEnds = ({ members }: RunState): Promise<EndedProgram[]> =>
  Promise.all(
    [...members.values()].map(async ({ name, end, before, running }) => {
      const last = await running!.ended
      return { ...(end ?? { ...last, output: [...before, ...last.output] }), name }
    }),
  )

export const killMembers = ({ members }: RunState): void => {
  for (const { running } of members.values()) running?.kill()
}
