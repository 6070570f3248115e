import { listRules } from './lists.js'
import { paymentLinkRules } from './payment-links.js'
import { requestRules } from './requests.js'
import { userRules } from './users.js'

/**
 * A rule of the mocked interface: where the specification says it, which test shows it, and how to do without it.
 *
 * @typedef {object} Rule
 * @property {string} id What people call it.
 * @property {string} spec The section of the specification, or `open` where it is silent and the mock has chosen.
 * @property {string} says The rule in one sentence.
 * @property {{ file: string, name: string }} test The test that notices when the rule is gone, as its file names it.
 * @property {{ file: string, replace: readonly [from: string, to: string] }} without The smallest change that takes
 *   just this rule away. `from` stands once in the file.
 */

/**
 * Every rule, with its section and its test.
 *
 * @type {readonly Rule[]}
 */
export const rules = [...requestRules, ...userRules, ...paymentLinkRules, ...listRules]
