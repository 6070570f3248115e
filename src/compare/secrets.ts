import { getBearerToken, hashSecret } from '../core/mock/extension.ts'
import { secretHeaders } from '../core/schema/recorded-request.ts'
import type { ServiceCall } from './recorded-calls.ts'

/** Names of query parameters that contain secrets, in lower case. */
const secretParameters = new Set(['api_key', 'apikey', 'key', 'token', 'access_token', 'secret', 'password'])

/** A shorter secret is hidden only if it is the whole string, because a longer string may contain it by chance. */
const minSecretLength = 8

export interface SecretFilter {
  /** Hides secrets in string values, but not in field names. */
  readonly hideInJson: (value: unknown) => unknown
  readonly hideInTarget: (target: string) => string
}

/** Returns functions that replace the secrets sent by the program with short hashes, as the journal of the mock does. */
export const createSecretFilter = (calls: readonly ServiceCall[]): SecretFilter => {
  // Replace longer secrets first, because they may contain shorter ones.
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
  const headerSecrets = headers.flatMap(([name, value]) =>
    secretHeaders.has(name.toLowerCase()) ? splitSecret(value) : [],
  )
  const querySecrets = [...query].flatMap(([name, value]) => (secretParameters.has(name.toLowerCase()) ? value : []))
  return [...headerSecrets, ...querySecrets].filter((secret) => secret !== '')
}

/** Returns the bearer token, if any. Otherwise returns the whole header and each cookie value in it. */
const splitSecret = (header: string): string[] => {
  const token = getBearerToken(header)
  if (token !== undefined) return [token]
  const cookies = [...header.matchAll(/[^=;\s]+=([^;]*)/g)].map(([, value = '']) => value.trim())
  return [header, ...cookies]
}
