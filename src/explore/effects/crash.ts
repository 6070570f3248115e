// The code under test is killed at a call, and starts again.
import type { NamedEffect } from './effect.ts'

export const crash: NamedEffect = {
  phases: ['before', 'after'],
  hidesResult: true,
  summary: 'the client is killed, and starts again',
  remedy: 'finds again what it has done before the kill: see [a killed worker](killed-workers.md)',
  act: async ({ phase, send, kill }) => {
    if (phase === 'after') await send()
    await kill()
    // The code is dead, so nothing receives the response.
    return new Response()
  },
}
