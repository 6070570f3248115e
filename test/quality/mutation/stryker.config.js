import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The rules of the service, the parsing and validation of requests, authentication and the control API. */
const mutate = [
  'src/domain/**/*.ts',
  'src/control/**/*.ts',
  'src/http/**/*.ts',
  // Documentation, which tests compare as a whole.
  '!src/*/{openapi,*-docs}.ts',
  'src/wire/{body,json,json-stream,media-type}.ts',
  'src/schema/{problem,unknown-fields,field,user,payment-link,list}.ts',
]

const reports = 'coverage/mutation'

export default {
  mutate,
  plugins: ['./test/quality/mutation/in-process.js', './test/quality/mutation/documentation.js'],
  ignorers: ['documentation'],
  testRunner: 'in-process',
  coverageAnalysis: 'perTest',
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
  // The runner itself detects hanging tests. This timeout is for other cases, and long enough for a busy machine.
  timeoutMS: 20_000,
  timeoutFactor: 1.5,
  // Modules that were loaded stay in memory.
  maxTestRunnerReuse: 100,
  disableTypeChecks: false,
  tempDirName: join(tmpdir(), 'paylink-mock-mutation'),
  ignorePatterns: ['dist', 'coverage', 'test/browser', 'test/bench', '.ci', '**/tsconfig*.json'],
  reporters: ['json', 'html', 'progress-append-only'],
  jsonReporter: { fileName: `${reports}/report.json` },
  htmlReporter: { fileName: `${reports}/report.html` },
}
