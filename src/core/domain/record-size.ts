import { errors } from '../schema/error.ts'
import { formatPath, type Problem } from '../schema/problem.ts'
import { getTextLength } from '../schema/text.ts'
import type { ProjectPatch, SeedPatch, Template } from '../schema/seed.ts'
import { isStoredRecord } from './collection.ts'
import { recordKinds } from './kinds.ts'
import type { RecordChange } from './history.ts'

/** The space for what a record adds to the body that created it: its id, its times and the names of its fields. */
const maxExtraSize = 1024

/** Throws `invalidBody` if a changed record is larger than a body may be, for example after several updates. */
export const rejectLargeRecords = (changes: readonly RecordChange[], bodyLimit: number): void => {
  // The size of a change includes all texts of the record.
  if (changes.every(({ size }) => size <= bodyLimit)) return
  const problems = changes.flatMap(({ to }) =>
    isStoredRecord(to) ? findLargeField({ ...to.value }, [], bodyLimit) : [],
  )
  if (problems.length > 0) throw errors.invalidBody({ what: 'The record', problems })
}

/** Finds the records of a seed, a state or a change of one that are larger than a body may be. */
export const findLargeRecords = (
  document: ProjectPatch & Pick<SeedPatch, 'template' | 'projects'>,
  bodyLimit: number,
): Problem[] => {
  const findIn = (template: Template, parentPath: readonly PropertyKey[]) =>
    recordKinds.flatMap((kind) => {
      const records: readonly object[] = template[kind] ?? []
      return records.flatMap((record, index) => findLargeField(record, [...parentPath, kind, index], bodyLimit))
    })
  return [
    ...findIn(document, []),
    ...findIn(document.template ?? {}, ['template']),
    ...Object.entries(document.projects ?? {}).flatMap(([id, project]) => findIn(project, ['projects', id])),
  ]
}

const findLargeField = (record: object, parentPath: readonly PropertyKey[], bodyLimit: number): Problem[] => {
  if (getTextLength(record) <= bodyLimit + maxExtraSize) return []
  const sizes = Object.entries(record).map(([name, value]: [string, unknown]) => ({ name, size: getTextLength(value) }))
  const largestField = sizes.toSorted((a, b) => b.size - a.size)[0]?.name ?? ''
  const path = formatPath([...parentPath, largestField])
  return [{ path, message: `${path} is too long: a record has at most ${bodyLimit} characters, like a body.` }]
}
