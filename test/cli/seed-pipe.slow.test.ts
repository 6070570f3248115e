import { execFile } from 'node:child_process'
import { constants } from 'node:buffer'
import { expect, it } from 'vitest'
import { cliPath } from './support/cli.ts'

it('a seed from a pipe that is too large for a string is rejected', async () => {
  const size = constants.MAX_STRING_LENGTH + 1
  const line = `head -c ${size} /dev/zero | '${process.execPath}' '${cliPath}' validate /dev/stdin`
  const err = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', line], (_, __, text) => resolve(text))
  })
  expect(err).toBe('The seed /dev/stdin is larger than 512 MB. Create its records with `generate`.\n')
})
