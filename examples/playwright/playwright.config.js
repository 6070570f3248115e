import { defineConfig } from '@playwright/test'

export default defineConfig({
  // Without CHROMIUM_PATH it is the browser that `npx playwright install chromium` installs.
  use: { launchOptions: { executablePath: process.env.CHROMIUM_PATH } },
})
