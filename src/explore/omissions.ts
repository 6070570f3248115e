// Collects everything that a search did not try. A search with an omission is not exhausted.
import type { NotTried, SearchEnd } from './result.ts'

export class Omissions {
  readonly #notTried: NotTried[] = []
  readonly #caveats = new Map<string, string>()

  /** Keeps only the first reason for each schedule, but all reasons for the empty schedule. */
  addNotTried(replay: string, why: string): void {
    const isKnown = (entry: NotTried) => entry.replay === replay && (replay !== '' || entry.why === why)
    if (!this.#notTried.some(isKnown)) this.#notTried.push({ replay, why })
  }

  /** Adds a caveat, or replaces an earlier caveat about the same subject. */
  addCaveat(text: string, subject = text): void {
    this.#caveats.set(subject, text)
  }

  getClaim<E extends SearchEnd>(endedBy: E) {
    const [notTried, caveats] = [[...this.#notTried], [...this.#caveats.values()].toSorted()]
    return { exhausted: endedBy === 'complete' && notTried.length + caveats.length === 0, endedBy, notTried, caveats }
  }
}
