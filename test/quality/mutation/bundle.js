// Bundles changed sources into dist, without their types.
import { readFileSync, rmSync } from 'node:fs'
import { bundle } from '../../../.build/bundle.js'

const { exports, bin, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const files = [...Object.values(exports), bin].flatMap((entry) => Object.values(entry))
const entries = files
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.replace(/^(?:\.\/)?dist\/(.*)\.js$/, '$1'))
// A build that finds its stamp would keep these bundles.
rmSync('dist/.inputs', { force: true })
await bundle([...new Set(entries)], 'dist', Object.keys(peerDependencies))
