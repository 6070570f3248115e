// Collects everything that a search leaves out. A search is exhausted only if this is empty.
import type { NotTried, SearchEnd } from './result.ts'

export class Omissions {
  readonly #notTried: NotTried[] = []
  readonly #caveats = new Map<string, string>()

  /** The first reason for a schedule wins. */
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
