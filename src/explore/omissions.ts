// Collects what a search leaves out. Only if nothing was added does a search claim that it tried everything.
import type { NotTried, SearchEnd } from './result.ts'

export class Omissions {
  readonly #notTried: NotTried[] = []
  readonly #caveats = new Map<string, string>()

  /** Adds a schedule that was not tried to its end. A schedule keeps its first reason. */
  addNotTried(replay: string, why: string): void {
    const isSame = (one: NotTried) => one.replay === replay && (replay !== '' || one.why === why)
    if (!this.#notTried.some(isSame)) this.#notTried.push({ replay, why })
  }

  /** Adds a sentence about runs that cannot be planned. It replaces an earlier one about the same subject. */
  addCaveat(text: string, subject = text): void {
    this.#caveats.set(subject, text)
  }

  /** Returns the claim of a search. `endedBy` is why the search ended. */
  getClaim<E extends SearchEnd>(endedBy: E) {
    const [notTried, caveats] = [[...this.#notTried], [...this.#caveats.values()].toSorted()]
    return { exhausted: endedBy === 'complete' && notTried.length + caveats.length === 0, endedBy, notTried, caveats }
  }
}
