// The programs of the corpus: each has a version with one planted bug, `<language>/<name>.buggy.*`, and a fixed one.

/** @typedef {'python' | 'javascript' | 'ruby' | 'go' | 'shell'} Language */

/**
 * What two versions of a program have in common.
 *
 * @typedef {object} Pattern
 * @property {string} name
 * @property {Language} language
 * @property {string} about the bug
 * @property {string[]} foundBy the effects that show the bug, one fault in a run unless `flags` say otherwise
 * @property {string} schedule the first failure
 * @property {string[]} [quick] the effects that `npm test` tries. None: it leaves the pattern out
 * @property {('buggy' | 'fixed')[]} [open] the versions of which the search cannot claim that it tried everything: they send
 *   calls at the same time, or reach a limit
 * @property {string} [effects] those that the search tries, and that the fixed version survives
 * @property {string[]} [flags] of `explore` and of the mock
 * @property {string[]} [args] of the program
 * @property {object} [seed] none: the records of the mock are empty
 * @property {Record<string, string>} [files] in the directory of the program
 */

/** What is tried with a program, unless its pattern says otherwise. */
export const usualEffects = 'default,crash,paid,canceled'

/** The effects that lose a response. */
export const lost = ['reset', 'close', 'unavailable', 'malformed', 'rateLimited']
const keys = ['--behavior', 'idempotencyKey=replay']
const acme = (records) => ({ projects: { acme: records } })
const oldLink = { args: ['pml_old'], seed: acme({ paymentLinks: [{ id: 'pml_old', invoice: 'inv_7' }] }) }
const ada = (email, metadata = {}) => acme({ users: [{ id: 'usr_ada', email, metadata }] })

/** @type {readonly Pattern[]} */
export const patterns = [
  {
    name: 'create-again',
    language: 'python',
    about: 'creates a link again after a lost response',
    foundBy: [...lost, 'crash'],
    quick: ['reset'],
    schedule: '1.after.reset',
  },
  {
    name: 'batch-skips-errors',
    language: 'python',
    about: 'skips an invoice of a batch after an error, and exits with 0',
    foundBy: ['reset', 'close', 'unavailable', 'outage', 'rateLimited'],
    schedule: '1.before.reset',
  },
  {
    name: 'endless-cancel',
    language: 'python',
    about: 'cancels again and again, although the link is canceled or paid',
    ...oldLink,
    flags: ['--max-calls', '30'],
    open: ['buggy'],
    foundBy: [...lost, 'crash', 'paid', 'canceled'],
    schedule: '1.before.paid',
  },
  {
    name: 'lagging-list',
    language: 'python',
    about: 'looks for the link before each attempt, in a list that lags behind',
    flags: [...keys, '--behavior', 'listFreshness=delayed', '--clock', 'frozen'],
    foundBy: [...lost, 'crash'],
    schedule: '2.after.reset',
  },
  {
    name: 'file-too-late',
    language: 'python',
    about: 'notes what it has done only after the call',
    flags: keys,
    args: ['link-{run}.txt'],
    foundBy: ['crash'],
    schedule: '1.after.crash',
  },
  {
    name: 'checkpoint',
    language: 'python',
    about: 'starts a batch again at its last checkpoint',
    flags: [...keys, '--reset', 'rm -f done.txt'],
    foundBy: ['crash'],
    schedule: '1.after.crash',
  },
  {
    name: 'active-only',
    language: 'python',
    about: 'misses the paid link in a list of active links',
    ...oldLink,
    foundBy: ['paid'],
    schedule: '1.before.paid',
  },
  {
    name: 'poll-for-ever',
    language: 'python',
    about: 'waits for the payment of a canceled link',
    flags: ['--pay-after-reads', '2', '--max-calls', '30'],
    open: ['buggy'],
    foundBy: ['canceled'],
    schedule: '3.before.canceled',
  },
  {
    name: 'first-page',
    language: 'python',
    about: 'looks for the link among the first ten',
    flags: ['--behavior', 'paymentLinkOrder=oldestFirst'],
    seed: acme({ generate: { paymentLinks: { active: 12 } } }),
    effects: 'default,crash',
    foundBy: [...lost, 'crash'],
    schedule: '2.after.reset',
  },
  {
    name: 'remind',
    language: 'python',
    about: 'replaces a link that is not active, also a paid one',
    ...oldLink,
    foundBy: ['paid'],
    schedule: '1.before.paid',
  },
  {
    name: 'unreadable-response',
    language: 'javascript',
    about: 'creates a link again after an unreadable response',
    foundBy: ['malformed'],
    schedule: '2.after.malformed',
  },
  {
    name: 'unchecked-status',
    language: 'javascript',
    about: 'takes an error for a link',
    foundBy: ['unavailable', 'rateLimited'],
    schedule: '2.before.unavailable',
  },
  {
    name: 'delivered-twice',
    language: 'javascript',
    about: 'trusts that a request is processed once',
    effects: `${usualEffects},duplicate`,
    foundBy: ['duplicate'],
    schedule: '2.before.duplicate',
  },
  {
    name: 'verify-by-list',
    language: 'javascript',
    about: 'creates a link again if a list does not show it',
    foundBy: ['stale'],
    schedule: '3.before.stale',
  },
  {
    name: 'new-key',
    language: 'javascript',
    about: 'has another idempotency key after a restart',
    flags: keys,
    foundBy: ['crash'],
    schedule: '1.after.crash',
  },
  {
    name: 'lock-file',
    language: 'javascript',
    about: 'respects the lock of a process that was killed',
    flags: ['--reset', 'rm -f job.lock'],
    foundBy: ['crash'],
    schedule: '1.before.crash',
  },
  {
    name: 'stale-metadata',
    language: 'javascript',
    about: 'writes back metadata that lacks its own last change',
    flags: ['--behavior', 'metadataUpdate=replace'],
    args: ['usr_ada'],
    seed: ada('ada@example.com', { plan: 'basic' }),
    foundBy: ['stale'],
    schedule: '3.before.stale',
  },
  {
    name: 'stale-search',
    language: 'javascript',
    about: 'looks for the link after a lost response, and gets an old list',
    flags: [...keys, '--faults', '2'],
    effects: 'reset,stale',
    foundBy: ['reset+stale'],
    schedule: '2.after.reset+3.before.stale',
  },
  {
    name: 'parallel-batch',
    language: 'javascript',
    about: 'ignores what failed in Promise.allSettled, and exits with 0',
    effects: 'default,crash',
    open: ['buggy', 'fixed'],
    foundBy: [...lost, 'outage'],
    schedule: '1.before.reset',
  },
  {
    name: 'batch-start-over',
    language: 'ruby',
    about: 'starts a batch over after an error',
    foundBy: [...lost, 'crash'],
    schedule: '1.after.reset',
  },
  {
    name: 'counter-twice',
    language: 'ruby',
    about: 'counts an order again after a lost response',
    args: ['usr_ada'],
    seed: ada('ada@example.com', { orders: 1 }),
    foundBy: [...lost, 'crash'],
    schedule: '2.after.reset',
  },
  {
    name: 'sign-up',
    language: 'ruby',
    about: 'creates user and link again after a restart',
    foundBy: ['crash'],
    schedule: '1.after.crash',
  },
  {
    name: 'create-then-cancel',
    language: 'ruby',
    about: 'creates a new link, and ignores that the old one was paid before it could be canceled',
    seed: oldLink.seed,
    foundBy: ['paid'],
    schedule: '2.before.paid',
  },
  {
    name: 'change-email',
    language: 'ruby',
    about: 'deletes a user to create it again, and does not do so after a restart',
    seed: ada('ada@old.example', { plan: 'pro' }),
    foundBy: ['crash'],
    schedule: '2.after.crash',
  },
  {
    name: 'erase-user',
    language: 'ruby',
    about: 'fails if the user was deleted by an earlier attempt',
    args: ['usr_ada'],
    seed: ada('ada@example.com'),
    effects: 'default,crash',
    // It tries three times, which an outage outlives.
    flags: ['--must-succeed', 'close,crash,malformed,rateLimited,reset,unavailable'],
    foundBy: [...lost, 'crash'],
    schedule: '1.after.reset',
  },
  {
    name: 'stale-after-restart',
    language: 'ruby',
    about: 'looks for the link after a restart, and gets an old list',
    flags: [...keys, '--faults', '2'],
    effects: 'crash,stale',
    foundBy: ['crash+stale'],
    schedule: '2.after.crash+3.before.stale',
  },
  {
    name: 'user-twice',
    language: 'go',
    about: 'creates a user again after a lost response',
    foundBy: lost,
    schedule: '2.after.reset',
  },
  {
    name: 'unknown-field',
    language: 'go',
    about: 'creates a link again because the response has a new field',
    effects: `${usualEffects},evolve`,
    foundBy: ['malformed', 'evolve'],
    schedule: '2.before.evolve',
  },
  {
    name: 'queue',
    language: 'go',
    about: 'removes an invoice from its queue before the call',
    flags: [...keys, '--reset', 'cp all.txt queue.txt'],
    files: { 'all.txt': 'inv_1\ninv_2\n' },
    foundBy: ['crash'],
    schedule: '1.before.crash',
  },
  {
    name: 'renew',
    language: 'go',
    about: 'ignores that a link could not be canceled',
    ...oldLink,
    flags: keys,
    foundBy: ['unavailable', 'rateLimited', 'crash', 'paid'],
    schedule: '1.before.unavailable',
  },
  {
    name: 'silent-retry',
    language: 'go',
    about: 'sends a key that the service ignores, so net/http sends the request again',
    foundBy: ['reset', 'close'],
    schedule: '2.after.reset',
  },
  {
    name: 'curl-retry',
    language: 'shell',
    about: 'lets curl send a create again',
    foundBy: ['unavailable', 'rateLimited'],
    quick: ['unavailable'],
    schedule: '2.after.unavailable',
  },
  {
    name: 'redirect-to-file',
    language: 'shell',
    about: 'has an empty file before the call, and takes it for the result',
    flags: [...keys, '--reset', 'rm -f link.json'],
    foundBy: ['crash'],
    schedule: '1.before.crash',
  },
  {
    name: 'cancel-or-true',
    language: 'shell',
    about: 'ignores the conflict of a cancel, and replaces a paid link',
    seed: oldLink.seed,
    foundBy: ['reset', 'close', 'unavailable', 'rateLimited', 'paid'],
    schedule: '2.before.reset',
  },
  {
    name: 'cancel-then-create',
    language: 'shell',
    about: 'finds no link to replace after a restart',
    seed: oldLink.seed,
    flags: [...keys, '--reset', 'rm -f replacing replacing.part'],
    foundBy: ['crash'],
    schedule: '2.after.crash',
  },
  {
    name: 'wait-for-list',
    language: 'shell',
    about: 'waits until a list of active links shows a paid one',
    flags: ['--max-calls', '30'],
    open: ['buggy'],
    foundBy: ['paid', 'canceled'],
    schedule: '3.before.paid',
  },
  ...[
    ['signs-up-again', 'python', ada('ada@example.com')],
    ['bills-again', 'python', acme({ paymentLinks: [{ invoice: 'inv_6' }, { invoice: 'inv_7' }] })],
    ['links-again', 'javascript', oldLink.seed],
    ['customer-again', 'ruby', ada('ada@example.com')],
    ['account-again', 'go', ada('ada@example.com')],
  ].map(([name, language, seed]) => ({
    name,
    language,
    about: 'tries each call three times, and takes a failed lookup for a missing record',
    seed,
    flags: keys,
    foundBy: ['outage'],
    schedule: '1.before.outage',
  })),
]
