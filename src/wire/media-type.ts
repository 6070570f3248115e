/** What JSON is sent as. */
export const json = 'application/json'

/** Whether a `Content-type` says JSON: `application/json`, or any type that ends in `+json`. */
export const isJson = (contentType: string): boolean =>
  /^(?:application\/json|[\w.+-]+\/[\w.+-]+\+json)$/i.test(contentType.split(';')[0]!.trim())

/** Whether an `Accept` header admits JSON: by name, or by a wildcard. */
export const admitsJson = (accept: string): boolean =>
  accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const refused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    return !refused && (type === '*/*' || type === 'application/*' || isJson(type))
  })
