/** Lets everything work until something is so, for at most ten thousand turns: a test that hangs says what it missed. */
export const reach = async (what: string, isReached: () => boolean | Promise<boolean>): Promise<void> => {
  for (let turn = 0; turn < 10_000; turn++) {
    if (await isReached()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`After ten thousand turns there is not ${what}.`)
}
