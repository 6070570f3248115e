type State = 'value' | 'firstItem' | 'firstKey' | 'key' | 'colon' | 'inObject' | 'inArray' | 'end'

/** The next state, by the first character of a token. Numbers, `true`, `false` and `null` count as `0`. */
const states: Readonly<Record<State, Readonly<Partial<Record<string, State>>>>> = {
  value: { '"': 'end', '0': 'end', '{': 'firstKey', '[': 'firstItem' },
  firstItem: { '"': 'end', '0': 'end', '{': 'firstKey', '[': 'firstItem', ']': 'end' },
  firstKey: { '"': 'colon', '}': 'end' },
  key: { '"': 'colon' },
  colon: { ':': 'value' },
  inObject: { ',': 'key', '}': 'end' },
  inArray: { ',': 'value', ']': 'end' },
  end: {},
}

const space = /[ \t\n\r]*/y
const token =
  /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/uy

/**
 * Returns the index where a text stops being JSON, or its length if its end is missing. The errors of `JSON.parse` have the
 * index in some versions of Node only.
 */
export const findMistake = (text: string): number => {
  const open: State[] = []
  let state: State = 'value'
  let index = 0
  for (;;) {
    index += matchAt(space, text, index).length
    const found = matchAt(token, text, index)
    const first = /^["{}[\],:]/.test(found) ? found.charAt(0) : '0'
    const next: State | undefined = states[state][first]
    if (found === '' || next === undefined) return index
    if (first === '{') open.push('inObject')
    if (first === '[') open.push('inArray')
    if (first === '}' || first === ']') open.pop()
    state = next === 'end' ? (open.at(-1) ?? 'end') : next
    index += found.length
  }
}

const matchAt = (pattern: RegExp, text: string, index: number): string => {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0] ?? ''
}
