import type { ListenOptions } from '../listen.ts'
import { Refusal } from '../schema/error.ts'
import { loopback } from './server.ts'

/** Why an address could not be bound, and what would work. `port` is what the one who chose it calls it. */
export const bindText = (error: NodeJS.ErrnoException, options: ListenOptions, port: 'port' | '--port'): string => {
  const where = `${options.port ?? 0} of ${options.host ?? loopback}`
  if (error.code === 'EADDRINUSE')
    return `Port ${where} is in use; choose another ${port}, or ${port} 0 for any free one.`
  if (error.code === 'EACCES') return `Port ${where} is not allowed to this user; choose a ${port} above 1023.`
  return `Failed to listen on port ${where}: ${error.message}.`
}

/** The refusal that says so to a caller of `listen`. What is none already was an error of the system. */
export const bindRefusal = (error: unknown, options: ListenOptions): Refusal => {
  if (error instanceof Refusal) return error
  return new Refusal('invalidOptions', bindText(error as Error, options, 'port'), { cause: error })
}
