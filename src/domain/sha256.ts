/** Returns the SHA-256 of a text in hexadecimal (FIPS 180-4). Web Crypto only has an asynchronous one. */
export const sha256 = (text: string): string => {
  const hash = Int32Array.from(initialHash)
  const message = pad(new TextEncoder().encode(text))
  for (let block = 0; block < message.byteLength; block += 64) compress(hash, message, block)
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
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

const compress = (hash: Int32Array, message: DataView, block: number): void => {
  const words = new Int32Array(64)
  for (let i = 0; i < 16; i++) words[i] = message.getInt32(block + i * 4)
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15]!
    const y = words[i - 2]!
    const sigma0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const sigma1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    words[i] = words[i - 16]! + sigma0 + words[i - 7]! + sigma1
  }
  let [a, b, c, d, e, f, g, h] = Array.from(hash) as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = h + sum1 + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!
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
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i]! += word
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

const isPrime = (n: number): boolean => {
  for (let i = 2; i * i <= n; i++) if (n % i === 0) return false
  return true
}

const primes = Array.from({ length: 310 }, (_, index) => index + 2).filter(isPrime)
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32)
const initialHash = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const constants = Int32Array.from(primes.slice(0, 64).map((prime) => fraction(Math.cbrt(prime))))
