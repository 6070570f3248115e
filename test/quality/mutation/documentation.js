// Descriptions of fields are prose, which a test of the document reads. Stryker does not change them.
const isDocumentation = (node) =>
  node.type === 'CallExpression' &&
  (node.callee.name === 'described' ||
    (node.callee.property?.name === 'register' && node.arguments[0]?.name === 'documentation'))

const inDocumentation = (path) => {
  // Only the text of `described(schema, text)` and the words of `register(documentation, words)`.
  const call = path.parentPath
  return call !== null && isDocumentation(call.node) && call.node.arguments[1] === path.node
}

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'documentation',
    value: { shouldIgnore: (path) => (inDocumentation(path) ? 'It is the prose of a document.' : undefined) },
  },
]
