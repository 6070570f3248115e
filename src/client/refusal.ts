import { errorCodes, type ErrorCode, type ErrorObject, Refusal } from '../schema/error.ts'

/** The refusal as it was thrown there. What is none, of a proxy say, is told as it came. */
export const refusalOf = (response: Response, text: string): Error => {
  const { status } = response
  const error = errorIn(text)
  if (error === undefined)
    return new Error(`${response.url} answered ${status}, and not as a mock does: ${text.slice(0, 200)}`)
  return refusalFrom(error, status)
}

const refusalFrom = ({ object, type, code, message, hint, details, ...facts }: ErrorObject, status: number): Refusal =>
  new Refusal(code, message, { hint, details, status, type, ...(Object.keys(facts).length > 0 && { facts }) })

const errorIn = (text: string): ErrorObject | undefined => {
  try {
    const value = JSON.parse(text) as Partial<ErrorObject> | null
    return value?.object === 'error' && (value.code as ErrorCode) in errorCodes ? (value as ErrorObject) : undefined
  } catch {
    return undefined
  }
}
