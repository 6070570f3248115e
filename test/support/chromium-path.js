import { execFileSync } from 'node:child_process'

// The headless shell is the same engine without the parts of a desktop: it costs half the CPU.
const find = 'command -v chromium-headless-shell || command -v chromium || true'

/** The Chromium of this machine, or undefined. */
export const executablePath =
  process.env.CHROMIUM_PATH || execFileSync('sh', ['-c', find], { encoding: 'utf8' }).trim() || undefined
