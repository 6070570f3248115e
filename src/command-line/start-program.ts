// Runs a program of the user, without a shell, in its own process group. The group ends with the program.
import { type ChildProcess, type ChildProcessByStdio, spawn, type StdioOptions } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { ProgramEnd, RunningProgram } from './running-program.ts'
import { quote } from '../core/schema/problem.ts'
import { cut, toPrintable } from '../core/schema/text.ts'
import { UsageError } from './args.ts'

export type ProgramWords = readonly [program: string, ...args: string[]]

interface ProgramOptions {
  /** The variables that it gets besides those of this process. */
  readonly env: Readonly<Record<string, string>>
  /** In milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** Whether an interruption sends SIGINT to the program and lets it clean up. The reason of `signal` is then `SIGINT`. */
  readonly isInterruptible?: boolean
  /** Where its output goes: its last lines are kept, or it goes to the terminal. */
  readonly output: 'kept' | 'stdout' | 'stderr'
}

/** How long a program may take to end after SIGTERM, and its pipes to close after its end, in milliseconds. */
const terminationGrace = 1000
/** How long a service may take to end after SIGTERM, in milliseconds. */
const serviceGrace = 2000
/** How long a program may clean up after SIGINT, in milliseconds. */
const interruptGrace = 5000
/** How long the last processes of a program may take to end after the first one, in milliseconds. */
const lastProcessGrace = 100

const runningPrograms = new Set<ChildProcess>()
// A process group of its own would outlive this process and its terminal.
process.on('exit', () => runningPrograms.forEach((child) => endGroup(child, 'SIGKILL')))
process.on('SIGHUP', () => process.exit(129))

/** All processes of a program inherit this variable, also those that leave its group. */
const runIdVariable = 'PAYLINK_RUN_ID'
let startedCount = 0

/** Starts a program. `ended` rejects with a `UsageError` if it cannot be started. */
export const startProgram = (
  [program, ...args]: ProgramWords,
  { env, timeout, signal, isInterruptible, output }: ProgramOptions,
): RunningProgram => {
  const lastLines = createLastLines()
  const id = `${process.pid}-${++startedCount}`
  let isTimedOut = false
  let isKilled = false
  let killTimer: NodeJS.Timeout | undefined
  // First, because this process may be killed as soon as the program runs.
  startWatcher()
  const child = spawn(program, args, {
    env: { ...process.env, ...env, [runIdVariable]: id },
    detached: true,
    stdio: standardStreams[output],
  })
  runningPrograms.add(child)
  tellWatcher('+', child)
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) lastLines.read(stream)
  const endProgram = (grace = terminationGrace) => {
    isKilled = true
    endGroup(child, 'SIGTERM')
    clearTimeout(killTimer)
    killTimer = setTimeout(() => endGroup(child, 'SIGKILL'), grace)
  }
  const abortProgram = () => {
    if (!isInterruptible || signal.reason !== 'SIGINT') return endProgram()
    isKilled = true
    endGroup(child, 'SIGINT')
    killTimer ??= setTimeout(endProgram, interruptGrace)
  }
  const timer = setTimeout(() => {
    isTimedOut = true
    endProgram()
  }, timeout)
  signal.addEventListener('abort', abortProgram)
  if (signal.aborted) abortProgram()
  const waitForEnd = async (): Promise<ProgramEnd> => {
    try {
      const [exitCode, signalName, escaped] = await waitForExit(child, program, id, () => isKilled)
      return { exitCode, signal: signalName, isTimedOut, output: lastLines.list(), escaped }
    } finally {
      clearTimeout(timer)
      clearTimeout(killTimer)
      signal.removeEventListener('abort', abortProgram)
      runningPrograms.delete(child)
      tellWatcher('-', child)
    }
  }
  const findProcess = (hasProperty: (found: FoundProcess) => boolean) =>
    process.platform === 'linux' ? listProcesses(id, child.pid).some(hasProperty) : undefined
  return {
    ended: waitForEnd(),
    isListening: () => findProcess(hasOpenPort),
    isBusy: () => findProcess(hasBusyThread),
    kill: () => {
      isKilled = true
      if (runningPrograms.has(child)) endGroup(child, 'SIGKILL')
    },
    stop: () => {
      if (runningPrograms.has(child)) endProgram(serviceGrace)
    },
  }
}

// Without input: a program that reads the terminal from a group of its own would be stopped.
const standardStreams: Readonly<Record<ProgramOptions['output'], StdioOptions>> = {
  kept: ['ignore', 'pipe', 'pipe'],
  stdout: ['ignore', 'inherit', 'inherit'],
  stderr: ['ignore', 2, 'inherit'],
}

const waitForExit = async (
  child: ChildProcess,
  program: string,
  id: string,
  isKilled: () => boolean,
): Promise<[number | null, string | null, string[]]> => {
  const pipesClosed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const exitResult = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(explainStartError(program, error)))
    child.once('exit', (...exitArguments) => resolve(exitArguments))
  })
  // The last processes of a pipe end a moment later.
  let remainingProcesses = listProcesses(id, child.pid)
  if (!isKilled() && remainingProcesses.length > 0) {
    await Promise.race([pipesClosed, wait(lastProcessGrace)]).then(() => wait(20))
    remainingProcesses = listProcesses(id, child.pid)
  }
  const escapedProcesses = remainingProcesses.filter(({ group }) => !isKilled() || group !== `${child.pid}`)
  // They could hold the pipes open, and send requests after the run.
  endGroup(child, 'SIGKILL')
  for (const { pid } of escapedProcesses) sendSignal(pid, 'SIGKILL')
  const timer = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), terminationGrace)
  await pipesClosed
  clearTimeout(timer)
  // The requests that it has sent without waiting for a response are in the buffers of the sockets.
  for (let turns = 0; turns < 10; turns++) await turn()
  return [...exitResult, escapedProcesses.map(({ name }) => name)]
}

const endGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  if (pid !== undefined) sendSignal(-pid, signal)
}

const sendSignal = (pid: number, signal: NodeJS.Signals): void => void ifRunning(() => process.kill(pid, signal), false)

/** Returns the default if the process or the group has ended, or belongs to another user. */
const ifRunning = <T>(access: () => T, defaultValue: T): T => {
  try {
    return access()
  } catch {
    return defaultValue
  }
}

interface FoundProcess {
  readonly pid: number
  readonly name: string
  readonly group: string
}

/** Lists the running processes of a program. Includes processes outside its group, such as after `setsid`. Only on Linux. */
const listProcesses = (id: string, firstPid = 0): FoundProcess[] => {
  if (process.platform !== 'linux') return []
  // Later processes have higher numbers, until the numbers begin again.
  const lastPid = Number(readProcess('loadavg').split(' ')[4])
  const isLaterPid = (pid: number) => pid >= firstPid || !(lastPid >= firstPid)
  return readdirSync('/proc').flatMap((processFile) => {
    const pid = Number(processFile)
    if (Number.isNaN(pid) || !isLaterPid(pid)) return []
    if (!readProcess(`${pid}/environ`).split('\0').includes(`${runIdVariable}=${id}`)) return []
    const [, name = '', state = 'X', group = ''] =
      /^\d+ \((.*)\) (\w) \d+ (\d+)/s.exec(readProcess(`${pid}/stat`)) ?? []
    return 'ZX'.includes(state) ? [] : [{ pid, name, group }]
  })
}

const hasOpenPort = ({ pid }: FoundProcess): boolean => {
  const lines = ['tcp', 'tcp6'].flatMap((file) => readProcess(`${pid}/net/${file}`).split('\n'))
  const fields = lines.map((line) => line.trim().split(/\s+/))
  const sockets = new Set(fields.flatMap((line) => (line[3] === listening ? [`socket:[${line[9]}]`] : [])))
  const folder = `/proc/${pid}/fd`
  return readFolder(folder).some((file) => ifRunning(() => sockets.has(readlinkSync(`${folder}/${file}`)), false))
}

/** Whether a thread runs, or waits for a processor (R) or a disk (D). */
const hasBusyThread = ({ pid }: FoundProcess): boolean =>
  readFolder(`/proc/${pid}/task`).some((thread) => /^\d+ \(.*\) [RD] /s.test(readProcess(`${pid}/task/${thread}/stat`)))

/** The state of a socket in `/proc/net/tcp` that accepts connections. */
const listening = '0A'

const readFolder = (folder: string): string[] => ifRunning(() => readdirSync(folder), [])

const readProcess = (processFile: string): string => ifRunning(() => readFileSync(`/proc/${processFile}`, 'utf8'), '')

/** Kills the process groups in its input, and the processes that left them, when its input ends: this process may be killed. */
const watcherScript = `
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group ";;
    -) groups="\${groups%% $group *} \${groups#* $group }";;
  esac
done
for group in $groups; do kill -KILL -- "-$group"; done
for file in $(grep -ls '${runIdVariable}=${process.pid}-' /proc/[0-9]*/environ); do
  pid=\${file#/proc/}
  kill -KILL "\${pid%/environ}"
done
`

let watcher: ChildProcessByStdio<Writable, null, null> | undefined

const startWatcher = (): void => {
  if (watcher !== undefined) return
  // In a group of its own, so that Ctrl+C does not end it.
  watcher = spawn('sh', ['-c', watcherScript], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH },
  })
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as unknown as { unref: () => void }).unref()
}

const tellWatcher = (change: '+' | '-', { pid }: ChildProcess): void => {
  if (pid !== undefined) watcher!.stdin.write(`${change} ${pid}\n`)
}

const explainStartError = (program: string, { code, message }: NodeJS.ErrnoException): UsageError => {
  const name = toPrintable(quote(program))
  if (code === 'ENOENT') {
    const hint = program.includes(' ') ? ` Write it without quotes: -- ${toPrintable(program)}` : ''
    return new UsageError(`The program ${name} was not found.${hint}`)
  }
  if (code === 'EACCES') return new UsageError(`The program ${name} is not executable.`)
  return new UsageError(`The program ${name} cannot be started: ${message}.`)
}

/** How many lines of output are kept, and how many characters of each. */
const maxLines = 20
const maxLength = 500

/** Collects the last lines of streams, whose chunks end anywhere, also within a character. */
export const createLastLines = () => {
  let lastLines: string[] = []
  let openLine = ''
  const add = (text: string): void => {
    const [firstPart = '', ...others] = text.split('\n')
    openLine = cut(openLine + firstPart, maxLength)
    for (const line of others) {
      lastLines.push(openLine)
      openLine = cut(line, maxLength)
    }
    lastLines = lastLines.slice(-maxLines)
  }
  return {
    read: (stream: Readable): void => void stream.setEncoding('utf8').on('data', add),
    list: (): string[] => [...lastLines, ...(openLine === '' ? [] : [openLine])].slice(-maxLines).map(toPlainLine),
  }
}

const toPlainLine = (line: string): string =>
  toPrintable(stripVTControlCharacters(line).replaceAll('\t', '  ').replace(/\r$/, ''))
