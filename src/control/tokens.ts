import type { ControlOptions, Handlers } from './task.ts'

/** Who may call the mocked API, for all projects or for one. */
export const tokenVerbs = ({ world, tokens }: ControlOptions): Handlers<'readTokens' | 'replaceTokens'> => ({
  readTokens: { one: ({ project }) => tokens.list(project), all: () => tokens.list() },
  replaceTokens: {
    one: ({ project, body }) => {
      tokens.replace(body.tokens, project)
      world.enter(project)
      return tokens.list(project)
    },
    all: ({ body }) => {
      tokens.replace(body.tokens)
      return tokens.list()
    },
  },
})
