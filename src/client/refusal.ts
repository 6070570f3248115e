import { errorCodes, type ErrorObject, Refusal } from '../schema/error.ts'

/** The refusal as it was thrown there. What is none, of a proxy say, is told as it came. */
export const refusalOf = (response: Response, text: string): Error => {
  const error = errorIn(text)
  return error === undefined ? foreignAnswer(response, text) : refusalFrom(error, response.status)
}

/** The value that a mock has answered with; undefined where it has none to give. Throws when the answer is no mock's. */
export const answerOf = (response: Response, text: string): unknown => {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw foreignAnswer(response, text)
  }
}

const foreignAnswer = ({ url, status }: Response, text: string): Error =>
  new Error(`${url} answered ${status}, and not as a mock does: ${text.slice(0, 200)}`)

const refusalFrom = ({ object, type, code, message, hint, details, ...facts }: ErrorObject, status: number): Refusal =>
  new Refusal(code, message, { hint, details, status, type, ...(Object.keys(facts).length > 0 && { facts }) })

const errorIn = (text: string): ErrorObject | undefined => {
  try {
    const value = JSON.parse(text) as Partial<ErrorObject> | null
    return value?.object === 'error' && Object.hasOwn(errorCodes, value.code ?? '') ? (value as ErrorObject) : undefined
  } catch {
    return undefined
  }
}
