import { expect, it } from 'vitest'
import { commandRoutesFile, formatCommandRoutes } from '../../support/command-routes.ts'

it('the client has the routes of all commands: `npm test -- -u` writes them', async () => {
  await expect(await formatCommandRoutes()).toMatchFileSnapshot(commandRoutesFile)
})
