import { headers, url } from './steps'

/** What a client of orval sends its requests with. */
export const call = async <T>(path: string, init: RequestInit): Promise<T> => {
  const all = new Headers(init.headers)
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  const response = await fetch(`${url}${path}`, { ...init, headers: all })
  return { data: await response.json(), status: response.status, headers: response.headers } as T
}
