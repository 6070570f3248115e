// What a document says of a field is prose, which a test of the document reads. Stryker leaves these places as they are.
const isDocumentation = (node) =>
  node.type === 'CallExpression' &&
  (node.callee.name === 'described' ||
    (node.callee.property?.name === 'register' && node.arguments[0]?.name === 'documentation'))

const inDocumentation = (path) => {
  // Of `described(schema, text)` only the text, and of `register(documentation, words)` only the words.
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
