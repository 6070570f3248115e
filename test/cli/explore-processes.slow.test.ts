import { expect, it } from 'vitest'
import { runCli } from './support/cli.ts'
import { exploreJson, script } from './support/programs.ts'

it('ends a program that ignores SIGTERM', async () => {
  const { failures } = await exploreJson(script('create || { trap "" TERM; sleep 1000; }'), ['--timeout', '1'])
  expect(failures.map(({ error, signal }) => [error, signal])).toEqual([
    ['The program does not end in 1 s.', 'SIGKILL'],
    ['The program does not end in 1 s.', 'SIGKILL'],
  ])
})

it('ends at once at the second interruption, with its programs', async () => {
  // The first signal ends the program, which then sends the second one and goes on.
  const text = `trap 'kill -INT $PPID' TERM; kill -INT $PPID; while :; do sleep 0.1; done`
  const { code, out } = await runCli(['explore', '--seed', 'empty', '--', ...script(text)])
  expect({ code, out }).toEqual({ code: 130, out: '' })
})
