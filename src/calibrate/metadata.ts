import { type Exchange, exchangeText, fieldsOf, isOk, isRefusal } from './exchange.ts'
import { isFields } from '../schema/fields.ts'
import type { Probes } from './probe.ts'
import type { Scene } from './scene.ts'
import { observed, unknown, untold, type Verdict } from './verdict.ts'

/** The probes of the metadata of spec §2.2, in the order in which they are asked: the second fills it. */
export const metadataProbes: Probes<'metadataUpdate' | 'metadataLimits'> = {
  metadataUpdate: {
    uses: ['user'],
    requests: ['PATCH /users/{user} with one key of its metadata', 'PATCH /users/{user} with the other key as null'],
    ask: (scene) => askMetadataUpdate(scene),
  },
  metadataLimits: {
    uses: ['user'],
    requests: [
      'PATCH /users/{user} with metadata that holds a number, an object, a long value, a long key, and 11 keys',
      'PATCH /users/{user} with metadata at the limits, when all of these are refused',
    ],
    ask: (scene) => askMetadataLimits(scene),
  },
}

const patch = async (scene: Scene, metadata: object): Promise<Exchange> => {
  const { id } = await scene.user()
  const path = `/users/${encodeURIComponent(id)}`
  return scene.send({ method: 'PATCH', path, body: { metadata }, answers: 'user' })
}

const metadataOf = (exchange: Exchange): Readonly<Record<string, unknown>> => {
  const { metadata } = fieldsOf(exchange)
  return isFields(metadata) ? metadata : {}
}

const askMetadataUpdate = async (scene: Scene): Promise<Verdict<'merge' | 'replace'>> => {
  const updated = await patch(scene, { changed: 'after' })
  if (!isOk(updated) || metadataOf(updated).changed !== 'after')
    return untold(`the metadata was not updated: ${exchangeText(updated)}`, updated)
  if (!('calibrate' in metadataOf(updated))) return observed('replace', updated)
  const removed = await patch(scene, { calibrate: null })
  const isRemoved = isOk(removed) && !('calibrate' in metadataOf(removed)) && 'changed' in metadataOf(removed)
  if (isRemoved) return observed('merge', updated, removed)
  return unknown('keys are merged, and null removes none', updated, removed)
}

const long = (length: number) => 'x'.repeat(length)
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']))

/** What `metadataLimits=strings` refuses, each for a reason of its own. */
const beyond: Readonly<Record<string, object>> = {
  'a number': { changed: 7 },
  'an object': { changed: { nested: [true] } },
  'a value of 256 characters': { changed: long(256) },
  'a key of 41 characters': { [long(41)]: 'x' },
  '11 keys': keys(11),
}

const askMetadataLimits = async (scene: Scene): Promise<Verdict<'none' | 'strings'>> => {
  const seen: Exchange[] = []
  const kept: string[] = []
  for (const [what, metadata] of Object.entries(beyond)) {
    const exchange = await patch(scene, metadata)
    seen.push(exchange)
    if (isOk(exchange) && holds(exchange, metadata)) kept.push(what)
    else if (isOk(exchange)) return unknown(`${what} in metadata is kept as something else`, exchange)
    else if (!isRefusal(exchange)) return untold(`neither kept nor refused: ${exchangeText(exchange)}`, exchange)
  }
  if (kept.length === seen.length) return observed('none', ...seen)
  if (kept.length > 0) return unknown(`metadata may hold ${kept.join(', ')}, and not all the rest`, ...seen)
  // Ten keys also where this is merged into what the user has.
  const most = { calibrate: long(255), changed: 'x', [long(40)]: 'x', ...keys(7) }
  const atLimits = await patch(scene, most)
  if (isOk(atLimits)) return observed('strings', ...seen, atLimits)
  return unknown('10 keys, a key of 40 and a value of 255 characters are too much', ...seen, atLimits)
}

const holds = (exchange: Exchange, metadata: object): boolean => {
  const kept = metadataOf(exchange)
  return Object.entries(metadata).every(([key, value]) => JSON.stringify(kept[key]) === JSON.stringify(value))
}
