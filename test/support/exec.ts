import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program to its end, and resolves with what it has printed. */
export const exec = promisify(execFile)
