// Collects everything that a search did not try. A search with any omission is not exhausted.
import type { NotTried, SearchEnd } from './result.ts'

export class Omissions {
  readonly #notTried: NotTried[] = []
  readonly #caveats = new Map<string, string>()

  /** Keeps only the first reason for each schedule. */
  addNotTried(replay: string, why: string): void {
    const isSame = (one: NotTried) => one.replay === replay && (replay !== '' || one.why === why)
    if (!this.#notTried.some(isSame)) this.#notTried.push({ replay, why })
  }

  /** Replaces an earlier caveat about the same subject. */
  addCaveat(text: string, subject = text): void {
    this.#caveats.set(subject, text)
  }

  getClaim<E extends SearchEnd>(endedBy: E) {
    const [notTried, caveats] = [[...this.#notTried], [...this.#caveats.values()].toSorted()]
    return { exhausted: endedBy === 'complete' && notTried.length + caveats.length === 0, endedBy, notTried, caveats }
  }
}
