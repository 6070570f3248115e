// The secrets that a program sends. The report shows short hashes in their place, as the journal of a mock does.
import { getBearerToken, hashSecret } from '../core/mock/extension.ts'
import { secretHeaders } from '../core/schema/recorded-request.ts'
import type { ServiceCall } from './recorded-calls.ts'

/** The parameters of a query that contain secrets, in lower case. */
const secretParameters = new Set(['api_key', 'apikey', 'key', 'token', 'access_token', 'secret', 'password'])

/** A shorter secret is also a part of other texts. */
const minSecretLength = 8

export interface SecretFilter {
  /** Hides secrets in JSON: the service may send them back. Names of fields stay. */
  readonly hideInJson: (value: unknown) => unknown
  /** Hides secrets in a path with a query. */
  readonly hideInTarget: (target: string) => string
}

export const createSecretFilter = (calls: readonly ServiceCall[]): SecretFilter => {
  // A secret may be part of a longer secret.
  const secrets = [...new Set(calls.flatMap(listSecrets))].toSorted((a, b) => b.length - a.length)
  const hideSecret = (text: string, secret: string) =>
    text === secret || secret.length >= minSecretLength ? text.replaceAll(secret, formatHash(secret)) : text
  const hide = (text: string) => secrets.reduce(hideSecret, text)
  const hideValue = (_: string, value: unknown) => (typeof value === 'string' ? hide(value) : value)
  return {
    hideInJson: (value) => value && JSON.parse(JSON.stringify(value, hideValue)),
    hideInTarget: (target) =>
      hide(
        target.replace(/(?<=[?&])([^=&]+)=([^&]+)/g, (parameter, name: string, value: string) =>
          secretParameters.has(name.toLowerCase()) ? `${name}=${formatHash(value)}` : parameter,
        ),
      ),
  }
}

const formatHash = (secret: string): string => `#${hashSecret(secret)}`

const listSecrets = ({ headers, query }: ServiceCall): string[] => {
  const headerSecrets = headers.flatMap((name, index) =>
    index % 2 === 0 && secretHeaders.has(name.toLowerCase()) ? splitSecret(headers[index + 1] ?? '') : [],
  )
  const querySecrets = [...query].flatMap(([name, value]) => (secretParameters.has(name.toLowerCase()) ? value : []))
  return [...headerSecrets, ...querySecrets].filter((secret) => secret !== '')
}

/** Lists the secrets of a header: a bearer token, the values of cookies, or all of it. */
const splitSecret = (header: string): string[] => {
  const token = getBearerToken(header)
  if (token !== undefined) return [token]
  const cookies = [...header.matchAll(/[^=;\s]+=([^;]*)/g)].map(([, value = '']) => value.trim())
  return [header, ...cookies]
}
