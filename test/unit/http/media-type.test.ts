import { describe, expect, it } from 'vitest'
import { allowsJson, isJson, namesJson } from '../../../src/http/json.ts'

describe('a content type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json;',
    ' application/json ',
    'Application/JSON',
    'application/problem+json',
    'application/vnd.api+json',
    'application/a+b+json',
    'model/gltf+json',
    'application/vnd.acme.user-v1+json; profile="x"',
  ])('says JSON: %j', (contentType) => {
    expect(isJson(contentType)).toBe(true)
  })

  it.each([
    '',
    ';',
    'json',
    'text/json',
    'text/plain',
    'text/plain; a=application/json',
    'text/plain;application/json',
    'application/jsonp',
    'application/json5',
    'application/json-seq',
    'application/x-json',
    'application/+json',
    'application/xml',
    'application/json, text/plain',
    'application /json',
    'xapplication/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'image/svg+xml',
  ])('does not say JSON: %j', (contentType) => {
    expect(isJson(contentType)).toBe(false)
  })
})

describe('an Accept header', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    '*/*',
    'application/*',
    'application/problem+json',
    'text/html, application/json',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/json;q=0.1',
    'application/json;q=0.001',
    'application/json;q=1',
    'text/html;q=0, application/json',
    'application/json;v=0',
    'application/json;xq=0',
    ' , application/json',
  ])('admits JSON: %j', (accept) => {
    expect(allowsJson(accept)).toBe(true)
  })

  it.each([
    '',
    ',',
    'text/html',
    'text/*',
    'text/html, application/xml',
    'application/json;q=0',
    'application/json; q=0.0',
    'application/json;q=0.000',
    'application/json;charset=utf-8;Q=0',
    '*/*;q=0',
    'application/*;q=0',
    '*/json',
    '*',
    'application/jsonp',
  ])('does not admit JSON: %j', (accept) => {
    expect(allowsJson(accept)).toBe(false)
  })

  // RFC 9110, section 12.5.1: the most specific range counts.
  it.each(['application/json;q=0, */*', '*/*, application/json;q=0', 'application/*, application/json;q=0'])(
    'does not admit JSON when it rejects that by name: %j',
    (accept) => {
      expect(allowsJson(accept)).toBe(false)
    },
  )

  it.each(['application/json', 'text/html, application/problem+json', '*/*;q=0, application/json;q=0.1'])(
    'names JSON: %j',
    (accept) => {
      expect(namesJson(accept)).toBe(true)
    },
  )

  it.each(['', '*/*', 'application/*', 'text/html', 'application/json;q=0, text/html'])(
    'does not name JSON: %j',
    (accept) => {
      expect(namesJson(accept)).toBe(false)
    },
  )
})
