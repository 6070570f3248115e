import * as z from 'zod'
import type { Core } from '../mock.ts'
import type { ProjectDocument } from '../schema/seed.ts'
import { HashedToken } from '../schema/token.ts'
import type { Stored } from './storage.ts'

const currentFormat = 1

const Head = z.object({ format: z.int(), revision: z.int(), requests: z.int() })
const Content = z.object({ tokens: z.array(HashedToken).optional(), state: z.custom<ProjectDocument>() })

/** Returns the texts to store: only the head for a deleted project, and none for one that never existed. */
export const serialize = async (
  { control, counts, tokens }: Core,
  project: string,
): Promise<Omit<Stored, 'pieces'>> => {
  const exists = (await control.projects()).some(({ id }) => id === project)
  const revision = counts.revisions.get(project) ?? 0
  if (!exists && revision === 0) return { head: '', text: '' }
  const state = exists ? await control.project(project).state.get() : undefined
  return {
    head: JSON.stringify({ format: currentFormat, revision, requests: counts.requests.get(project) ?? 0 }),
    text: state === undefined ? '' : JSON.stringify({ tokens: tokens.own(project), state }),
  }
}

/**
 * Loads the stored project into a running mock. It does not replace the seed: a reset restores the state of the options.
 * If it throws, the project exists, with the counts and tokens that could be read.
 */
export const load = async ({ control, counts, tokens }: Core, project: string, stored: Stored): Promise<void> => {
  const loaded = control.project(project)
  await loaded.state.put({})
  const { format, revision, requests } = Head.parse(JSON.parse(stored.head))
  try {
    const content = stored.text === '' ? undefined : Content.parse(JSON.parse(stored.text))
    if (content?.tokens !== undefined) tokens.restore(project, content.tokens)
    if (format !== currentFormat) throw new Error(`The format is ${format}; this version reads ${currentFormat}.`)
    await (content === undefined ? loaded.delete() : loaded.state.put(content.state))
  } finally {
    // Loading a project is not a change of it.
    counts.revisions.set(project, revision)
    counts.requests.set(project, requests)
  }
}
