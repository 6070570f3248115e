/** Returns the SHA-256 of a text in hexadecimal (FIPS 180-4). Web Crypto only has an asynchronous one. */
export const sha256 = (text: string): string => {
  const message = pad(new TextEncoder().encode(text))
  let hash: readonly number[] = initialHash
  for (let block = 0; block < message.byteLength; block += 64) hash = compress(hash, message, block)
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** Fills the last block with a one bit, zeros and the length in bits. */
const pad = (bytes: Uint8Array): DataView => {
  const message = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64))
  message.set(bytes)
  message[bytes.length] = 0x80
  const view = new DataView(message.buffer)
  view.setUint32(message.length - 4, bytes.length * 8)
  return view
}

const compress = (hash: readonly number[], message: DataView, block: number): number[] => {
  const schedule = new DataView(new ArrayBuffer(64 * 4))
  const word = (index: number): number => schedule.getInt32(index * 4)
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (const [i, constant] of constants.entries()) {
    schedule.setInt32(i * 4, i < 16 ? message.getInt32(block + i * 4) : nextWord(word, i))
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = h + sum1 + ((e & f) ^ (~e & g)) + constant + word(i)
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  return hash.map((old, index) => (old + (added[index] ?? 0)) | 0)
}

const nextWord = (word: (index: number) => number, i: number): number => {
  const x = word(i - 15)
  const y = word(i - 2)
  const sigma0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
  const sigma1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
  return word(i - 16) + sigma0 + word(i - 7) + sigma1
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

const isPrime = (n: number): boolean => {
  for (let i = 2; i * i <= n; i++) if (n % i === 0) return false
  return true
}

const primes = Array.from({ length: 310 }, (_, index) => index + 2).filter(isPrime)
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32)
const initialHash = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const constants = primes.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)) | 0)
