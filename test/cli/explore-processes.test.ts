import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from './support/cli.ts'
import { explore, exploreJson, script } from './support/programs.ts'

/** A file for the ids of processes, and a function that reads them. */
const createPidFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-explore-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'pids')
  return { file, read: () => readFileSync(file, 'utf8').trim().split('\n').map(Number) }
}

/** Whether a process runs. One that has ended may still wait for its parent. */
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Expects that the processes end. The system ends a killed process a moment after the signal. */
const expectEnded = async (pids: number[]): Promise<void> => {
  await expect.poll(() => pids.filter(isRunning), { timeout: 10_000 }).toEqual([])
}

const flags = ['--effects', 'reset', '--seed', 'empty']

it('ends what a program leaves running', async () => {
  const { file, read } = createPidFile()
  const { code } = await explore(script(`sleep 1000 & echo $! >>${file}; create`))
  expect(code).toBe(0)
  expect(read()).toHaveLength(4)
  await expectEnded(read())
})

it('ends a program that takes too long, with its children', async () => {
  const { file, read } = createPidFile()
  const program = script(`create || { sleep 1000 & echo $! >>${file}; wait; }`)
  const { failures } = await exploreJson(program, ['--timeout', '1', '--jobs', '2'])
  expect(failures.map(({ replay, error, signal }) => [replay, error, signal])).toEqual([
    ['1.before.reset', 'The program does not end in 1 s.', 'SIGTERM'],
    ['1.after.reset', 'The program does not end in 1 s.', 'SIGTERM'],
  ])
  await expectEnded(read())
})

it('passes the output of a single schedule through', async () => {
  const program = script('echo to stdout; echo to stderr >&2; create || create')
  const args = ['explore', ...flags, '--only', '1.after.reset', '--', ...program]
  const { code, out, err } = await runCli(args)
  expect(code).toBe(1)
  expect(out).toMatch(/^to stdout\nThe program exits with 0, but its records differ: 2 payment links of inv_77/)
  expect(out).toMatch(/\n2 runs with 3 calls, with the given schedule only: 1 failure\.\n$/)
  expect(err).toBe('to stderr\n')
  const json = await runCli([...args.slice(0, 3), '--json', ...args.slice(3)])
  expect(JSON.parse(json.out)).toMatchObject({ endedBy: 'only', failures: [{ replay: '1.after.reset', output: [] }] })
  expect(json.err).toMatch(/^to std(out|err)\nto std(out|err)\n/)
})

it('ends its programs when it is interrupted, and prints what it has found', async () => {
  const { file, read } = createPidFile()
  // The second schedule interrupts the search, whose process is the parent of the program.
  const text = `create && exit; test -n "$(find_links)" || exit 0; sleep 1000 & echo $! >${file}; kill -INT $PPID; wait`
  const { code, out } = await runCli(['explore', ...flags, '--jobs', '1', '--', ...script(text)])
  expect(code).toBe(130)
  expect(out).toMatch(/^The program exits with 0, but its records differ: 0 payment links of inv_77 instead of 1\./)
  expect(out).toMatch(/\n3 runs with 4 calls, interrupted: 1 failure\.\n$/)
  await expectEnded(read())
})

it('ends its programs when its terminal closes', async () => {
  const { file, read } = createPidFile()
  const text = `sleep 1000 & echo $! >${file}; kill -HUP $PPID; wait`
  const { code } = await runCli(['explore', ...flags, '--', ...script(text)])
  expect(code).toBe(129)
  await expectEnded(read())
})
