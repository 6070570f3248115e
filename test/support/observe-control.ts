import { type ControlExchange, findControlProblems } from './control-contract.ts'

let problems: string[] = []
const pending = new Set<Promise<void>>()

/** Checks a response, if it is one of the control API. Its problems are collected: they fail the test, not its client. */
export const observe = (exchange: ControlExchange | Promise<ControlExchange>): void => {
  const checked = check(exchange).finally(() => pending.delete(checked))
  pending.add(checked)
}

const check = async (exchange: ControlExchange | Promise<ControlExchange>): Promise<void> => {
  // A response that breaks off is no response.
  const one = await Promise.resolve(exchange).catch(() => undefined)
  if (one === undefined || !one.url.pathname.includes('/__admin/')) return
  const problem = await findControlProblems(one).catch((reason: unknown) => String(reason))
  if (problem !== '') problems.push(problem)
}

/** The problems since the last call. */
export const getProblems = async (): Promise<readonly string[]> => {
  await Promise.all(pending)
  const found = problems
  problems = []
  return found
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** The same `fetch`, whose responses of the control API are checked. */
export const observed =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.pathname.includes('/__admin/')) observe(toExchange(input, init, url, response))
    return response
  }

const toExchange = async (
  input: string | URL | Request,
  init: RequestInit | undefined,
  url: URL,
  response: Response,
): Promise<ControlExchange> => {
  const { status, headers } = response
  const isStream = headers.get('content-type') === 'text/event-stream'
  return {
    method: init?.method ?? (input instanceof Request ? input.method : 'GET'),
    url,
    sent: typeof init?.body === 'string' ? init.body : undefined,
    status,
    headers,
    text: isStream ? undefined : await response.clone().text(),
  }
}
