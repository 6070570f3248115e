/**
 * Properties try the same cases in every run: what passed today passes tomorrow. CASES_SEED=new draws others, as the long
 * run does; CASES_SEED=-1036544785, as a failure prints it, tries those of that run again.
 */
import * as fc from 'fast-check'

const { CASES_SEED = '1' } = process.env

if (CASES_SEED !== 'new') fc.configureGlobal({ seed: Number(CASES_SEED) })

/** How long a failing property looks for a smaller counterexample, in milliseconds. */
const shrinkingTime = 5000

/** A property as its runner calls it. */
interface Shrinking {
  shrink: (this: object, value: fc.Value<unknown>) => fc.Stream<fc.Value<unknown>>
}

// fast-check has no such limit: its time limits also count the cases before the failure. One sequence of steps can be
// shrunk in thousands of ways, and each is another run of all of them.
const boundShrinking = (prototype: Shrinking): void => {
  const { shrink } = prototype
  // This file runs before each test file, and fast-check stays.
  if (shrink.name === 'boundedShrink') return
  const deadlines = new WeakMap<object, number>()
  prototype.shrink = function boundedShrink(value) {
    const deadline = deadlines.get(this) ?? Date.now() + shrinkingTime
    deadlines.set(this, deadline)
    return shrink.call(this, value).takeWhile(() => Date.now() < deadline)
  }
}

for (const property of [fc.property(fc.nat(), () => {}), fc.asyncProperty(fc.nat(), async () => {})])
  boundShrinking(Object.getPrototypeOf(property) as Shrinking)
