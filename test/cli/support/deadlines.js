import { Server } from 'node:http'

/**
 * Stops every timer of a second or more, or of `minimum` milliseconds, and Node's own limits of a connection: what ends
 * meanwhile ends because of an event, on any machine. Returns a function that restores them.
 */
export const removeDeadlines = (minimum = 1000) => {
  const { setTimeout } = globalThis
  // oxlint-disable-next-line unbound-method -- it is called with its server
  const { listen } = Server.prototype
  const set = (act, milliseconds = 0, ...rest) =>
    milliseconds >= minimum ? setTimeout(() => {}, 2 ** 31 - 1).unref() : setTimeout(act, milliseconds, ...rest)
  globalThis.setTimeout = Object.assign(set, setTimeout)
  Server.prototype.listen = function (...args) {
    Object.assign(this, { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 })
    return listen.apply(this, args)
  }
  return () => {
    globalThis.setTimeout = setTimeout
    Server.prototype.listen = listen
  }
}
