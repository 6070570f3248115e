import { createErrorResponseData, toMockError } from '../http/respond.ts'
import { withStatus } from '../schema/error.ts'
import type { Notes, StageResult } from './outcome.ts'
import type { ApiRequest } from './request.ts'
import { noteError } from './violations.ts'

export const catchErrors = (request: ApiRequest, notes: Notes, runStages: () => StageResult): StageResult => {
  try {
    return runStages()
  } catch (error) {
    return toErrorResult(request, notes, error)
  }
}

export const toErrorResult = (request: ApiRequest, notes: Notes, error: unknown): StageResult => {
  const thrown = toMockError(error, request.options)
  const mockError = thrown.code === 'invalidBody' ? withStatus(thrown, notes.getBehavior('invalidBodyStatus')) : thrown
  noteError(request, notes, mockError)
  return { ...createErrorResponseData(mockError, {}, request.behaviors.errorFormat), error: mockError.code }
}
