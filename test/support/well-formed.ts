/** Returns a text with a lone surrogate, which other languages cannot print, from a JSON document. Undefined without any. */
export const findLoneSurrogate = (json: string): string | undefined => {
  let found: string | undefined
  JSON.parse(json, (key, value: unknown) => {
    found ??= [key, value].find((text): text is string => typeof text === 'string' && /\p{Surrogate}/u.test(text))
    return value
  })
  return found
}
