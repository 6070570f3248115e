// Bundles changed sources into dist, without their types.
import { rmSync } from 'node:fs'
import { build } from 'rolldown'
import config from '../../../.build/rolldown.config.js'

// A build that finds its stamp would keep these bundles.
rmSync('dist/.inputs', { force: true })
await build(config[0])
