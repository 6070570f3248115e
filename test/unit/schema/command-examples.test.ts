import { expect, it } from 'vitest'
import { type Command } from '../../../src/control/command.ts'
import { commands } from '../../../src/control/commands.ts'

const examples = Object.entries<Command>(commands).flatMap(([id, command]) =>
  (['examples', 'examplesForAll'] as const).flatMap((field) =>
    Object.entries(command[field] ?? {}).map(([name, example]) => [id, field, name, JSON.stringify(example)].join(' ')),
  ),
)

// The documents and the reference show them, and clients copy them.
it('commands have these examples', () => {
  expect(examples.join('\n')).toMatchSnapshot()
})
