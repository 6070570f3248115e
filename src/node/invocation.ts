import { join, relative } from 'node:path'
import { quoteForShell } from '../openapi/curl.ts'

/** Returns the words that start this program as its user did: with npx, by its name, or by its path. */
export const getInvocation = (
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): string => {
  if (env.npm_command === 'exec') return 'npx paylink-mock'
  const folders = (env.PATH ?? '').split(':')
  // A script of a package has more folders in its PATH than its user.
  if (env.npm_command === undefined && folders.some((one) => join(one, 'paylink-mock') === script))
    return 'paylink-mock'
  const path = relative(folder, script)
  const shorter = path.startsWith('..') ? script : path
  return script.endsWith('.js')
    ? `node ${quoteForShell(shorter)}`
    : quoteForShell(shorter.includes('/') ? shorter : `./${shorter}`)
}
