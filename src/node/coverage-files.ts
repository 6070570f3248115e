// A folder with the coverage of test runs: each worker of a test runner writes a file.
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonIfValid } from '../schema/json-value.ts'
import { formatProblems, parse } from '../schema/problem.ts'
import { Coverage } from '../schema/summaries.ts'
import { CommandError } from './args.ts'
import { rejectFile } from './seed-file.ts'

/** Reads the coverage of all workers from a folder. */
export const readCoverages = async (folder: string): Promise<readonly Coverage[]> => {
  const names = await readdir(folder).catch(rejectFile(`The folder ${folder} cannot be read`))
  const files = names.filter((name) => name.endsWith('.json')).toSorted()
  if (files.length > 0) return Promise.all(files.map((name) => readCoverage(join(folder, name))))
  throw new CommandError(
    `The folder ${folder} has no coverage. The fixtures of paylink-mock/vitest write it: test.override({ coverage: '${folder}' }).`,
  )
}

const readCoverage = async (file: string): Promise<Coverage> => {
  const text = await readFile(file, 'utf8').catch(rejectFile(`The coverage ${file} cannot be read`))
  const value = parseJsonIfValid(text)
  if (value === undefined) throw new CommandError(`${file} is no coverage: it is not JSON.`)
  const parsed = parse(Coverage, value)
  if (parsed.ok) return parsed.value
  throw new CommandError(`${file} is no coverage: ${formatProblems('it', parsed.problems)}`)
}

/** Writes the coverage of a worker into a folder, which is created. Throws a `CommandError` if that is not possible. */
export const writeCoverage = async (folder: string, coverage: Coverage): Promise<void> => {
  // Each worker writes a file of its own.
  const file = join(folder, `coverage-${randomUUID()}.json`)
  await mkdir(folder, { recursive: true })
    .then(() => writeFile(file, `${JSON.stringify(coverage)}\n`))
    .catch(rejectFile(`The coverage cannot be written to ${folder}`))
}
