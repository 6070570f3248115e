export { connect, type ConnectOptions } from './connect.ts'
export type { Control, PaymentLinkRows, ProjectControl, Rows, UserRows } from './control.ts'
export { type ErrorCode, type ErrorObject, type ErrorType, type Problem, Refusal } from '../schema/error.ts'
