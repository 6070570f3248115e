import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { prompt } from '../../src/node/terminal.ts'

const streams = () => {
  const said = { text: '' }
  const output = new PassThrough().on('data', (chunk) => (said.text += String(chunk)))
  return { input: new PassThrough(), output, said }
}

describe('prompt', () => {
  it.each([
    ['y\n', 'y'],
    ['yes\nmore\n', 'yes'],
    ['\n', ''],
  ])('returns the first line of %j', async (typed, answer) => {
    const { said, ...both } = streams()
    both.input.end(typed)
    expect(await prompt('Go on? ', undefined, both.input, both.output)).toBe(answer)
    expect(said.text).toBe('Go on? ')
  })

  it('returns undefined when the input ends', async () => {
    const { said: _, ...both } = streams()
    both.input.end()
    expect(await prompt('Go on? ', undefined, both.input, both.output)).toBe('')
  })

  it('returns undefined when it is interrupted', async () => {
    const { said: _, ...both } = streams()
    const interruption = new AbortController()
    const answer = prompt('Go on? ', interruption.signal, both.input, both.output)
    interruption.abort()
    expect(await answer).toBe('')
  })
})
