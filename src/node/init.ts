import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SeedInput } from '../schema/seed.ts'
import { clientHeaders, curlOf, payLine } from '../wire/curl.ts'
import { shellQuote } from '../wire/shell-quote.ts'
import type { Args } from './args.ts'
import { printable } from './log.ts'
import { notWritten, SeedError } from './seed-file.ts'
import type { Console } from './console.ts'

/** `init [file]`: writes a seed to begin with, and says what to do with it. What is there is never overwritten. */
export const init = async ({ operand: file = 'seed.json' }: Args, console: Console): Promise<number> => {
  const seed = { $schema: schemaFor(file), ...beginning }
  await writeFile(file, `${JSON.stringify(seed, null, 2)}\n`, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw notWritten(file, error)
    throw new SeedError(`${printable(file)} is there already, and stays as it is; name another file.`)
  })
  console.out(nextSteps(file))
  return 0
}

/** One of each, with ids that can be typed. */
const beginning: SeedInput = {
  projects: {
    acme: {
      preferredLocale: 'en-US',
      users: [{ id: 'usr_ada', email: 'ada@example.com', fullName: 'Ada Lovelace' }],
      paymentLinks: [
        { id: 'pml_open', invoice: 'inv_1', payer: { fullName: 'Ada Lovelace', email: 'ada@example.com' } },
        { id: 'pml_paid', invoice: 'inv_2', status: 'completed' },
      ],
    },
  },
}

const schemaFile = 'fixtures/seed.schema.json'

/** The way from the seed to its schema, as an editor follows it: through the `node_modules` that it stands beside, or under. */
const schemaFor = (file: string): string => {
  const folder = dirname(resolve(file))
  const own = fileURLToPath(new URL(`../../${schemaFile}`, import.meta.url))
  const installed = above(folder).map((one) => join(one, 'node_modules/paylink-mock', schemaFile))
  const path = relative(folder, installed.find((one) => existsSync(one)) ?? own)
  return `${path.startsWith('.') ? '' : './'}${path.split(sep).join('/')}`
}

const above = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...above(dirname(folder))]

/** Where the mock listens by default. */
const url = 'http://127.0.0.1:4600'

const nextSteps = (file: string): string => {
  const word = shellQuote(file)
  return [
    `${printable(file)} is a seed with one project, one user and two payment links. Edit it; an editor knows its schema.`,
    'Next:',
    `  npx paylink-mock --seed ${printable(word)} --watch`,
    `  npx paylink-mock validate ${printable(word)}`,
    `  ${curlOf({ method: 'GET', url: `${url}/projects/acme/paymentLinks/pml_open`, headers: clientHeaders(true) })}`,
    `  ${payLine(url, 'acme', 'pml_open', false)}`,
    '',
  ].join('\n')
}
