// Reads the statistics of processes under Linux.
import { readdirSync, readFileSync } from 'node:fs'

/** The name of a process, its parent and its other numbers. Empty if it has ended. */
const statOf = (pid) => {
  try {
    const [, name, rest] = /^\d+ \((.*)\) \S (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return [name, ...rest.split(' ')]
  } catch {
    return []
  }
}

/** Milliseconds of CPU of a process so far. */
export const cpuOf = (pid) => {
  // The first number after the name is the parent, the 11th and the 12th are ticks of 10 ms.
  const [, ...numbers] = statOf(pid)
  return (Number(numbers[10]) + Number(numbers[11])) * 10
}

/** The ids of the processes of this name that a process has started. */
export const childrenOf = (parent, wanted) =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const [name, itsParent] = statOf(pid)
      return name === wanted && Number(itsParent) === parent
    })
