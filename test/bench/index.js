// Runs a benchmark on the built package: node test/bench <name> [options], or npm run bench -- <name> [options].
import { readdirSync } from 'node:fs'

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.js') && file !== 'index.js')
  .map((file) => file.slice(0, -3))
const [name, ...args] = process.argv.slice(2)

if (!names.includes(name)) {
  console.error(`${name === undefined ? 'Name a benchmark' : `Unknown benchmark ${name}`}: ${names.join(', ')}.`)
  process.exit(2)
}
await import('../../.build.js')
// A benchmark reads its options as if it had been started itself.
process.argv.splice(2, Infinity, ...args)
await import(`./${name}.js`)
