export * from './exports.ts'
export { connect } from './connect.ts'
export type { ConnectOptions } from '../schema/mock-options.ts'
