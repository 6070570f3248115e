/** Replaces the contract if its validator cannot run: responses are still checked against the schemas of the operations. */
export const buildContract = async () => ({ document: {}, hold: () => {}, problems: () => '', at: () => ({}) })
export const findControlProblems = async () => ''
export const buildControlContract = async () => ({ problems: () => '' })
