// Programs that run side by side: pairs with a buggy and a fixed version, and hostile ones, with which no search can be complete.
import { acme, define } from './patterns.js'

/**
 * Two programs, `<language>/<name>.*`. In a name, `*` is the version, buggy or fixed.
 *
 * @typedef {object} Pair
 * @property {string} name
 * @property {import('./patterns.js').Language} language
 * @property {string} about the bug
 * @property {string[][]} programs the name of each, and its arguments
 * @property {string[]} schedules orders with the fewest changes of program that show the bug. The search lists one of them
 * @property {string[]} [flags] of `interleave` and of the mock
 * @property {object} [seed]
 */

const ada = (metadata) => acme({ users: [{ id: 'usr_ada', email: 'ada@example.com', metadata }] })
const inBetween = ['a,b*2,a', 'b,a*2,b']

/** @type {readonly Pair[]} */
export const pairs = [
  define('python', 'two-workers', 'two workers find no link, and both create one', {
    programs: [['two-workers.*'], ['two-workers.*']],
    schedules: inBetween,
  }),
  define('python', 'metadata-overwritten', 'a program writes back what another one has changed', {
    programs: [
      ['metadata-overwritten.*', 'plan', 'pro'],
      ['metadata-overwritten.*', 'newsletter', 'no'],
    ],
    seed: ada({ plan: 'basic', newsletter: 'yes' }),
    schedules: inBetween,
  }),
  define('python', 'count-orders', 'two orders are counted once', {
    programs: [
      ['count-orders.*', 'ord_1'],
      ['count-orders.*', 'ord_2'],
    ],
    seed: ada({}),
    schedules: inBetween,
  }),
  define('python', 'tag-pages', 'a deleted user ends a walk over all pages', {
    programs: [['tag-pages.*'], ['delete-user', 'usr_2']],
    seed: acme({
      users: [
        { id: 'usr_1', email: 'ada@example.com' },
        { id: 'usr_2', email: 'grace@example.com' },
      ],
    }),
    schedules: ['a,b,a*2', 'a*2,b,a'],
  }),
  define('javascript', 'two-renewals', 'two jobs cancel the same link, and both create a new one', {
    programs: [['two-renewals.*'], ['two-renewals.*']],
    seed: acme({ paymentLinks: [{ id: 'pml_old', invoice: 'inv_7' }] }),
    schedules: ['a,b*3,a*2', 'a*2,b*2,a', 'b,a*3,b*2', 'b*2,a*2,b'],
  }),
  define('javascript', 'issue-link', 'a link is created for an account that is being closed', {
    programs: [['close-account'], ['issue-link.*']],
    seed: ada({}),
    schedules: ['b,a*2,b'],
  }),
  define('ruby', 'two-sign-ups', 'a user signs up twice at the same time', {
    programs: [['two-sign-ups.*'], ['two-sign-ups.*']],
    schedules: inBetween,
  }),
  define('ruby', 'complete-sign-up', 'a user is deleted between the two steps of its sign-up', {
    programs: [['complete-sign-up.*'], ['clean-up']],
    schedules: ['a,b*2,a'],
  }),
  define('shell', 'two-keys', 'two workers have idempotency keys of their own', {
    programs: [
      ['two-keys.*', 'worker-1'],
      ['two-keys.*', 'worker-2'],
    ],
    flags: ['--behavior', 'idempotencyKey=replay'],
    schedules: inBetween,
  }),
]

/**
 * Two programs of which some orders cannot be tried. A search must say so, unless it has found a failure.
 *
 * @typedef {Omit<Pair, 'schedules'>} HostilePair
 */

/** @type {readonly HostilePair[]} */
export const hostilePairs = [
  define('python', 'impatient', 'a program whose own timeout is shorter than its wait for the other program', {
    programs: [['impatient.hostile'], ['slow-start.hostile', '1.5']],
  }),
  define('python', 'two-threads', 'a program whose second thread calls while the first one waits', {
    programs: [['two-threads.hostile'], ['slow-start.hostile', '0.5']],
  }),
  define('python', 'random-page', 'a program that sends random values', {
    programs: [['random-page.hostile'], ['two-workers.buggy']],
  }),
  define('javascript', 'every-third', 'programs that remember their earlier runs', {
    programs: [
      ['every-third.hostile', 'a'],
      ['every-third.hostile', 'b'],
    ],
  }),
  define('shell', 'wait-for-file', 'a program that waits for a file of the other one', {
    programs: [['announce.hostile'], ['wait-for-file.hostile']],
    flags: ['--reset', 'rm -f ready', '--settle', '500'],
  }),
  define('python', 'daemon', 'a program that goes on as a daemon after its end', {
    programs: [['daemon.hostile'], ['two-reads.hostile']],
  }),
]
