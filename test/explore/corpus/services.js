// Web services of the corpus: shops, `<language>/<name>.*`, with one of three mistakes or none. The variable MISTAKE names it.
import { lost } from './patterns.js'

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {import('./patterns.js').Language} language
 * @property {string[]} [needs] arguments of its language that fail if the machine lacks its library
 * @property {string} [installs] a package that is installed with npm. The folder is its argument
 */

/** @type {readonly Service[]} */
export const services = [
  { name: 'node-service', language: 'javascript' },
  { name: 'hono-service', language: 'javascript' },
  { name: 'express-service', language: 'javascript', installs: 'express@5.3.0' },
  { name: 'http-service', language: 'python' },
  { name: 'flask-service', language: 'python', needs: ['-c', 'import flask'] },
  { name: 'socket-service', language: 'ruby' },
  { name: 'go-service', language: 'go' },
]

/**
 * What is searched with each service.
 *
 * @typedef {object} ServiceSearch
 * @property {'lost' | 'crash' | 'click' | 'none'} mistake
 * @property {string} about
 * @property {'explore' | 'interleave'} command two customers click in `interleave`
 * @property {string[]} schedules one of them is the first failure. None: nothing may fail
 * @property {string[]} [foundBy] the effects that show the mistake
 */

/** @type {readonly ServiceSearch[]} */
export const serviceSearches = [
  {
    mistake: 'lost',
    about: 'has another key for each attempt',
    command: 'explore',
    schedules: ['1.after.reset'],
    foundBy: lost,
  },
  {
    mistake: 'crash',
    about: 'has another key after a restart',
    command: 'explore',
    schedules: ['1.after.crash'],
    foundBy: ['crash'],
  },
  {
    mistake: 'click',
    about: 'looks for a link and then creates one, in two replicas',
    command: 'interleave',
    schedules: ['a,b*2,a', 'b,a*2,b'],
  },
  { mistake: 'none', about: 'has one key for an order', command: 'explore', schedules: [] },
  { mistake: 'none', about: 'has one key for an order', command: 'interleave', schedules: [] },
]
