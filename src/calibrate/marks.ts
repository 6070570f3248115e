/** What this run calls its rows, so that people can tell them and nothing else is taken for them. */
export interface Marks {
  /** Unlike that of any other run. Every create has it in its body. */
  readonly run: string
  /** The n-th address of this run. */
  readonly email: (n: number | string) => string
  /** The full name of the users of this run. */
  readonly fullName: string
  /** Where the links of this run lead: they have no other field that a client can mark and read back. */
  readonly redirectUrl: string
  /** Whether a record contains the mark of this run. A service may change the case of a name. */
  readonly isOn: (record: unknown) => boolean
  /** Letters and digits, as many as asked for. */
  readonly made: (length: number) => string
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Marks for one run. `random` is like `Math.random`. */
export const createMarks = (random: () => number): Marks => {
  const made = (length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
  const run = made(10)
  return {
    run,
    email: (n) => `paylink-mock-calibrate+${run}.${n}@example.com`,
    fullName: `Paylink Mock Calibrate ${run}`,
    redirectUrl: `https://example.com/paylink-mock-calibrate/${run}`,
    isOn: (record) =>
      JSON.stringify(record ?? null)
        .toLowerCase()
        .includes(run),
    made,
  }
}
