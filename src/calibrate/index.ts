export { calibrate, type Finding, type Report } from './calibrate.ts'
export { type Change, driftOf } from './drift.ts'
export { type CalibrationPlan, countText, planOf } from './plan.ts'
export { type SeenKey, seenKeys, unseen } from './probes.ts'
