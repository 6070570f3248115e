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
export const acme = (records) => ({ projects: { acme: records } })
const oldLink = { args: ['pml_old'], seed: acme({ paymentLinks: [{ id: 'pml_old', invoice: 'inv_7' }] }) }
const ada = (email, metadata = {}) => acme({ users: [{ id: 'usr_ada', email, metadata }] })

/** A program, or two that belong together. */
export const define = (language, name, about, more) => ({ language, name, about, ...more })

/** @type {readonly Pattern[]} */
export const patterns = [
  define('python', 'create-again', 'creates a link again after a lost response', {
    foundBy: [...lost, 'crash'],
    quick: ['reset'],
    schedule: '1.after.reset',
  }),
  define('python', 'batch-skips-errors', 'skips an invoice of a batch after an error, and exits with 0', {
    foundBy: ['reset', 'close', 'unavailable', 'outage', 'rateLimited'],
    schedule: '1.before.reset',
  }),
  define('python', 'endless-cancel', 'cancels again and again, although the link is canceled or paid', {
    ...oldLink,
    flags: ['--max-calls', '30'],
    open: ['buggy'],
    foundBy: [...lost, 'crash', 'paid', 'canceled'],
    schedule: '1.before.paid',
  }),
  define('python', 'lagging-list', 'looks for the link before each attempt, in a list that lags behind', {
    flags: [...keys, '--behavior', 'listFreshness=delayed', '--clock', 'frozen'],
    foundBy: [...lost, 'crash'],
    schedule: '2.after.reset',
  }),
  define('python', 'file-too-late', 'notes what it has done only after the call', {
    flags: keys,
    args: ['link-{run}.txt'],
    foundBy: ['crash'],
    schedule: '1.after.crash',
  }),
  define('python', 'checkpoint', 'starts a batch again at its last checkpoint', {
    flags: [...keys, '--reset', 'rm -f done.txt'],
    foundBy: ['crash'],
    schedule: '1.after.crash',
  }),
  define('python', 'active-only', 'misses the paid link in a list of active links', {
    ...oldLink,
    foundBy: ['paid'],
    schedule: '1.before.paid',
  }),
  define('python', 'poll-for-ever', 'waits for the payment of a canceled link', {
    flags: ['--pay-after-reads', '2', '--max-calls', '30'],
    open: ['buggy'],
    foundBy: ['canceled'],
    schedule: '3.before.canceled',
  }),
  define('python', 'first-page', 'looks for the link among the first ten', {
    flags: ['--behavior', 'paymentLinkOrder=oldestFirst'],
    seed: acme({ generate: { paymentLinks: { active: 12 } } }),
    effects: 'default,crash',
    foundBy: [...lost, 'crash'],
    schedule: '2.after.reset',
  }),
  define('python', 'remind', 'replaces a link that is not active, also a paid one', {
    ...oldLink,
    foundBy: ['paid'],
    schedule: '1.before.paid',
  }),
  define('javascript', 'unreadable-response', 'creates a link again after an unreadable response', {
    foundBy: ['malformed'],
    schedule: '2.after.malformed',
  }),
  define('javascript', 'unchecked-status', 'takes an error for a link', {
    foundBy: ['unavailable', 'rateLimited'],
    schedule: '2.before.unavailable',
  }),
  define('javascript', 'delivered-twice', 'trusts that a request is processed once', {
    effects: `${usualEffects},duplicate`,
    foundBy: ['duplicate'],
    schedule: '2.before.duplicate',
  }),
  define('javascript', 'verify-by-list', 'creates a link again if a list does not show it', {
    foundBy: ['stale'],
    schedule: '3.before.stale',
  }),
  define('javascript', 'new-key', 'has another idempotency key after a restart', {
    flags: keys,
    foundBy: ['crash'],
    schedule: '1.after.crash',
  }),
  define('javascript', 'lock-file', 'respects the lock of a process that was killed', {
    flags: ['--reset', 'rm -f job.lock'],
    foundBy: ['crash'],
    schedule: '1.before.crash',
  }),
  define('javascript', 'stale-metadata', 'writes back metadata that lacks its own last change', {
    flags: ['--behavior', 'metadataUpdate=replace'],
    args: ['usr_ada'],
    seed: ada('ada@example.com', { plan: 'basic' }),
    foundBy: ['stale'],
    schedule: '3.before.stale',
  }),
  define('javascript', 'stale-search', 'looks for the link after a lost response, and gets an old list', {
    flags: [...keys, '--faults', '2'],
    effects: 'reset,stale',
    foundBy: ['reset+stale'],
    schedule: '2.after.reset+3.before.stale',
  }),
  define('javascript', 'parallel-batch', 'ignores what failed in Promise.allSettled, and exits with 0', {
    effects: 'default,crash',
    open: ['buggy', 'fixed'],
    foundBy: [...lost, 'outage'],
    schedule: '1.before.reset',
  }),
  define('ruby', 'batch-start-over', 'starts a batch over after an error', {
    foundBy: [...lost, 'crash'],
    schedule: '1.after.reset',
  }),
  define('ruby', 'counter-twice', 'counts an order again after a lost response', {
    args: ['usr_ada'],
    seed: ada('ada@example.com', { orders: 1 }),
    foundBy: [...lost, 'crash'],
    schedule: '2.after.reset',
  }),
  define('ruby', 'sign-up', 'creates user and link again after a restart', {
    foundBy: ['crash'],
    schedule: '1.after.crash',
  }),
  define(
    'ruby',
    'create-then-cancel',
    'creates a new link, and ignores that the old one was paid before it could be canceled',
    {
      seed: oldLink.seed,
      foundBy: ['paid'],
      schedule: '2.before.paid',
    },
  ),
  define('ruby', 'change-email', 'deletes a user to create it again, and does not do so after a restart', {
    seed: ada('ada@old.example', { plan: 'pro' }),
    foundBy: ['crash'],
    schedule: '2.after.crash',
  }),
  define('ruby', 'erase-user', 'fails if the user was deleted by an earlier attempt', {
    args: ['usr_ada'],
    seed: ada('ada@example.com'),
    effects: 'default,crash',
    // It tries three times, which an outage outlives.
    flags: ['--must-succeed', 'close,crash,malformed,rateLimited,reset,unavailable'],
    foundBy: [...lost, 'crash'],
    schedule: '1.after.reset',
  }),
  define('ruby', 'stale-after-restart', 'looks for the link after a restart, and gets an old list', {
    flags: [...keys, '--faults', '2'],
    effects: 'crash,stale',
    foundBy: ['crash+stale'],
    schedule: '2.after.crash+3.before.stale',
  }),
  define('go', 'user-twice', 'creates a user again after a lost response', {
    foundBy: lost,
    schedule: '2.after.reset',
  }),
  define('go', 'unknown-field', 'creates a link again because the response has a new field', {
    effects: `${usualEffects},evolve`,
    foundBy: ['malformed', 'evolve'],
    schedule: '2.before.evolve',
  }),
  define('go', 'queue', 'removes an invoice from its queue before the call', {
    flags: [...keys, '--reset', 'cp all.txt queue.txt'],
    files: { 'all.txt': 'inv_1\ninv_2\n' },
    foundBy: ['crash'],
    schedule: '1.before.crash',
  }),
  define('go', 'renew', 'ignores that a link could not be canceled', {
    ...oldLink,
    flags: keys,
    foundBy: ['unavailable', 'rateLimited', 'crash', 'paid'],
    schedule: '1.before.unavailable',
  }),
  define('go', 'silent-retry', 'sends a key that the service ignores, so net/http sends the request again', {
    foundBy: ['reset', 'close'],
    schedule: '2.after.reset',
  }),
  define('shell', 'curl-retry', 'lets curl send a create again', {
    foundBy: ['unavailable', 'rateLimited'],
    quick: ['unavailable'],
    schedule: '2.after.unavailable',
  }),
  define('shell', 'redirect-to-file', 'has an empty file before the call, and takes it for the result', {
    flags: [...keys, '--reset', 'rm -f link.json'],
    foundBy: ['crash'],
    schedule: '1.before.crash',
  }),
  define('shell', 'cancel-or-true', 'ignores the conflict of a cancel, and replaces a paid link', {
    seed: oldLink.seed,
    foundBy: ['reset', 'close', 'unavailable', 'rateLimited', 'paid'],
    schedule: '2.before.reset',
  }),
  define('shell', 'cancel-then-create', 'finds no link to replace after a restart', {
    seed: oldLink.seed,
    flags: [...keys, '--reset', 'rm -f replacing replacing.part'],
    foundBy: ['crash'],
    schedule: '2.after.crash',
  }),
  define('shell', 'wait-for-list', 'waits until a list of active links shows a paid one', {
    flags: ['--max-calls', '30'],
    open: ['buggy'],
    foundBy: ['paid', 'canceled'],
    schedule: '3.before.paid',
  }),
  ...[
    ['signs-up-again', 'python', ada('ada@example.com')],
    ['bills-again', 'python', acme({ paymentLinks: [{ invoice: 'inv_6' }, { invoice: 'inv_7' }] })],
    ['links-again', 'javascript', oldLink.seed],
    ['customer-again', 'ruby', ada('ada@example.com')],
    ['account-again', 'go', ada('ada@example.com')],
  ].map(([name, language, seed]) =>
    define(language, name, 'tries each call three times, and takes a failed lookup for a missing record', {
      seed,
      flags: keys,
      foundBy: ['outage'],
      schedule: '1.before.outage',
    }),
  ),
]
