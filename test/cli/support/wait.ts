import { onTestFinished } from 'vitest'
import { removeDeadlines } from './deadlines.js'

/** Longer than any machine needs, in milliseconds: it ends a test that hangs, and says nothing about speed. */
export const maxWait = 300_000

/** Waits for a promise. A test that waits for an event that never comes says what it waited for. */
export const within = async <T>(what: string, promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${maxWait} ms for ${what}.`)), maxWait)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Until the test is over, no deadline ends anything: neither a timer of a second or more nor a limit of Node. */
export const withoutDeadlines = (): void => onTestFinished(removeDeadlines())
