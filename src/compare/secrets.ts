// Finds the secrets that a program sends. The report shows short hashes instead, like the journal of a mock.
import { getBearerToken, hashSecret } from '../core/mock/extension.ts'
import { secretHeaders } from '../core/schema/recorded-request.ts'
import type { ServiceCall } from './recorded-calls.ts'

/** The query parameters that contain secrets, in lower case. */
const secretParameters = new Set(['api_key', 'apikey', 'key', 'token', 'access_token', 'secret', 'password'])

/** Replace a shorter secret only if it is the whole text, because other texts may contain it by chance. */
const minSecretLength = 8

export interface SecretFilter {
  /** Hides secrets in JSON values, because the service may echo them. Keeps the names of fields. */
  readonly hideInJson: (value: unknown) => unknown
  /** Hides secrets in a path with a query. */
  readonly hideInTarget: (target: string) => string
}

export const createSecretFilter = (calls: readonly ServiceCall[]): SecretFilter => {
  // Replace the longest secret first, because a secret may be part of a longer one.
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

/** Lists the secrets in a header: the bearer token, or the whole value and the values of cookies. */
const splitSecret = (header: string): string[] => {
  const token = getBearerToken(header)
  if (token !== undefined) return [token]
  const cookies = [...header.matchAll(/[^=;\s]+=([^;]*)/g)].map(([, value = '']) => value.trim())
  return [header, ...cookies]
}
