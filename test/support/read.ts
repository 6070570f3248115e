import type { MockError } from '../../src/core/schema/error.ts'

/** The text of a response with this status. Another status throws, so that no test reads an error as if it were data. */
export const readText = async (responding: Response | Promise<Response>, status = 200): Promise<string> => {
  const response = await responding
  const text = await response.text()
  if (response.status !== status)
    throw new Error(`Expected ${status} from ${response.url}, and received ${response.status}: ${text}`)
  return text
}

/** The JSON of a response with this status. Another status throws. */
export const readJson = async (responding: Response | Promise<Response>, status = 200): Promise<any> =>
  JSON.parse(await readText(responding, status))

/** The status and the JSON of a response, for a test that compares both. A field of data is not to be read from an error. */
export const readResponse = async (responding: Response | Promise<Response>) => {
  const response = await responding
  return { status: response.status, body: guardError(response.status, JSON.parse(await response.text())) }
}

/** The fields that tests read most, and that no error has. */
const dataFields = [
  ...'id items moreItemsAfter moreItemsBefore createdAt email emailVerified fullName metadata invoice'.split(' '),
  ...'paymentUrl canceledAt completedAt payer redirectUrl revision hits remaining'.split(' '),
]

/**
 * Makes an error body throw where a test reads a field of another response: `undefined` would pass many a comparison.
 * The added fields are not enumerable, so that the body is equal to what was received.
 */
export const guardError = <T>(status: number, body: T): T => {
  if (status < 400 || typeof body !== 'object' || body === null) return body
  for (const name of dataFields.filter((field) => !(field in body)))
    Object.defineProperty(body, name, {
      get: () => {
        throw new Error(`The response is an error, and has no ${name}: ${status} ${JSON.stringify(body)}`)
      },
    })
  return body
}

/** Returns a text with a lone surrogate, which other languages cannot print, from a JSON document. Undefined without any. */
export const findLoneSurrogate = (json: string): string | undefined => {
  let found: string | undefined
  JSON.parse(json, (key, value: unknown) => {
    found ??= [key, value].find((text): text is string => typeof text === 'string' && /\p{Surrogate}/u.test(text))
    return value
  })
  return found
}

/** How many different values there are. A missing one throws: it would count as one more. */
export const countDistinct = (values: readonly unknown[]): number => {
  const missing = values.findIndex((value) => value === undefined || value === null)
  if (missing >= 0) throw new Error(`Value ${missing} of ${values.length} is missing.`)
  return new Set(values).size
}

/** Returns the error that an action throws. */
export const toMockError = (act: () => unknown): MockError => {
  try {
    act()
  } catch (error) {
    // Checks the name, because an installed package has a different class.
    if (error instanceof Error && error.name === 'MockError') return error as MockError
    throw error
  }
  throw new Error('Nothing was thrown.')
}
