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
export const readResponse = async (
  responding: Response | Promise<Response>,
): Promise<{ status: number; body: any }> => {
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
