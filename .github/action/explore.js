// Explores a program. Each block of failures is an annotation and a diagram in the summary of the job.
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatSummary, groupFailures } from './format-summary.js'

const { EXPLORE = '', SERVICE, RESET, EFFECTS, FLAGS = '', GITHUB_ACTION_PATH, GITHUB_STEP_SUMMARY } = process.env

/** Splits a command line as --check does: a word in quotes may have spaces. */
const splitWords = (text) =>
  (text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))

const toFlag = (name, value) => (value ? [`--${name}`, value] : [])

/** Formats an annotation. Its text may have several lines. */
const formatAnnotation = ({ error, command }) => {
  const text = `${error}\nRepeat it: ${command}`
  return `::error title=paylink-mock explore::${text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`
}

const flags = [...toFlag('service', SERVICE), ...toFlag('reset', RESET), ...toFlag('effects', EFFECTS)]
const words = ['explore', '--json', ...flags, ...splitWords(FLAGS), '--', ...splitWords(EXPLORE)]
const cli = join(GITHUB_ACTION_PATH, 'dist/cli/cli.js')
const { status, stdout } = spawnSync(process.execPath, [cli, ...words], {
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: Infinity,
  encoding: 'utf8',
  // The lines that repeat a run are for a machine with the package.
  env: { ...process.env, npm_command: 'exec' },
})
// A program that cannot be explored has no report: the reason is in the log.
if (stdout !== '') {
  const report = JSON.parse(stdout)
  for (const [failure] of groupFailures(report)) console.log(formatAnnotation(failure))
  appendFileSync(GITHUB_STEP_SUMMARY, formatSummary(report))
}
process.exitCode = status ?? 1
