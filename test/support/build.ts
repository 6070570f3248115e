import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { commandRoutesFile, formatCommandRoutes } from './command-routes.ts'

/** Builds the package if it has changed, because tests run the shipped command line. */
export default async ({ config }: TestProject): Promise<void> => {
  // The build needs the routes: a handler of a new command does not compile without them.
  if (config.snapshotOptions.updateSnapshot === 'all') writeFileSync(commandRoutesFile, await formatCommandRoutes())
  execFileSync(process.execPath, ['.build.js'], { cwd: new URL('../../', import.meta.url).pathname, stdio: 'inherit' })
}
