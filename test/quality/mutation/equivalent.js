/**
 * Mutants that no test can notice, each with a reason. An entry that matches nothing has no effect.
 *
 * @type {readonly { file: string, before: string, after: string, reason: string }[]}
 */
export const equivalent = []
