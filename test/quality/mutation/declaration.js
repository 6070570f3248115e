const declaration = /^(?:export )?(?:(?:default|abstract|async) )*(const|let|function|class)\*? (\w+)/
const member = /^ {2}(?:[a-z]+ )*\*?(#?\w+)/

/**
 * Returns the top-level declaration that contains a line, such as `createIds`, or `Journal.add` for a member of a class.
 * The format is Prettier's, so that the indentation tells where a declaration starts.
 *
 * @param {string} source
 * @param {number} line counts from 1
 */
export const declarationAt = (source, line) => {
  const before = source.split('\n').slice(0, line)
  const start = before.findLastIndex((text) => declaration.test(text))
  const [, kind, name = ''] = declaration.exec(before[start] ?? '') ?? []
  if (kind !== 'class') return name
  const members = before.slice(start + 1).flatMap((text) => member.exec(text)?.[1] ?? [])
  return [name, ...members.slice(-1)].join('.')
}
