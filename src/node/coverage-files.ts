import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Coverage } from '../schema/summaries.ts'
import { formatProblems, parse } from '../schema/problem.ts'
import { getErrorReason } from './seed-file.ts'
import { CommandError } from './args.ts'
import { parseJsonIfValid } from '../schema/json-value.ts'

/**
 * Writes the coverage of a worker into a folder, which is created.
 * @throws `CommandError` if that is not possible
 */
export const writeCoverage = async (folder: string, coverage: Coverage): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true })
    // Each worker writes a file of its own.
    await writeFile(join(folder, `coverage-${randomUUID()}.json`), `${JSON.stringify(coverage)}\n`)
  } catch (error) {
    throw new CommandError(
      `The coverage cannot be written to ${folder}: ${getErrorReason(error, 'it does not exist')}.`,
    )
  }
}

/**
 * Reads the coverage of all workers from a folder.
 * @throws `CommandError` if there is none, or a file has no coverage
 */
export const readCoverages = async (folder: string): Promise<readonly Coverage[]> => {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new CommandError(`The folder ${folder} cannot be read: ${getErrorReason(error, 'it does not exist')}.`)
  })
  const files = names.filter((name) => name.endsWith('.json')).toSorted()
  if (files.length > 0) return Promise.all(files.map((name) => readCoverage(join(folder, name))))
  throw new CommandError(
    `The folder ${folder} has no coverage. The fixtures of paylink-mock/vitest write it: test.override({ coverage: '${folder}' }).`,
  )
}

const readCoverage = async (file: string): Promise<Coverage> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`The coverage ${file} cannot be read: ${getErrorReason(error, 'it does not exist')}.`)
  })
  const parsed = parse(Coverage, parseText(file, text))
  if (parsed.ok) return parsed.value
  throw new CommandError(`${file} is no coverage: ${formatProblems('it', parsed.problems)}`)
}

const parseText = (file: string, text: string): unknown => {
  const value = parseJsonIfValid(text)
  if (value === undefined) throw new CommandError(`${file} is no coverage: it is not JSON.`)
  return value
}
