// Runs a check that takes longer than a test may: node test/quality <name> [arguments], or npm run quality -- <name>.
import { execFileSync, spawnSync } from 'node:child_process'

const root = new URL('../..', import.meta.url)

const vitest = ['npx', '--no-install', 'vitest', 'run', '--config', 'test/vitest.config.ts']

/** Many times the random cases of `npm test`, with a new seed. */
const manyCases = {
  CASES_SEED: 'new',
  MODEL_SEQUENCES: '20000',
  TRANSPORT_SEQUENCES: '500',
  RACE_RUNS: '2000',
  RACE_ROUNDS: '1000',
  REFUSED_RUNS: '2000',
  ANNOUNCED_RUNS: '2000',
  SANDBOX_RUNS: '1000',
  WORKER_RUNS: '500',
  EDGE_RUNS: '10000',
  TEXTS: 'all',
}

/** The tests named `*.slow.test.ts`, and the numbers of cases that are required of a release. */
const slowCases = {
  SLOW_TESTS: '1',
  EXPLORE_RUNS: '500',
  MODEL_SEQUENCES: '1000',
  SLOW_CLIENTS: '2000',
  TRANSPORT_SEQUENCES: '12',
  RACE_ROUNDS: '40',
  RACE_RUNS: '25',
  ANNOUNCED_RUNS: '15',
  WORKER_RUNS: '12',
  HISTORY_RUNS: '100',
  REFUSED_RUNS: '25',
  SANDBOX_RUNS: '15',
  ODD_RUNS: '50',
}

/** The test files that read one of these variables. */
const listReaders = (variables) => {
  const pattern = `\\benv\\.(${Object.keys(variables).join('|')})\\b`
  const files = execFileSync('git', ['grep', '-lE', pattern, '--', 'test/*.test.ts'], { cwd: root, encoding: 'utf8' })
  return files.trim().split('\n')
}

/** A check by a script. */
const script = (about, path, ...words) => ({ about, command: [path.endsWith('.js') ? 'node' : 'bash', path, ...words] })

/** Each check: what it shows, and the command to which the arguments are appended. */
const checks = {
  compare: {
    about: 'compares services that are the same, that have other behaviors or that are broken, and prints the figures',
    command: [...vitest, '--silent=false', 'test/cli/compare/'],
    env: { COMPARE_PROGRAMS: '90', SLOW_TESTS: '1' },
  },
  container: script(
    'builds the image and runs it without root, network and write access',
    'test/quality/container/image.sh',
    '--run',
    'node test/integrations/story/run.js',
  ),
  corpus: script(
    'explores programs with one planted bug each, and their fixed versions, all or those of a name or language',
    'test/quality/corpus/corpus.js',
  ),
  examples: script('runs the examples from the packed package', 'test/quality/examples/run.sh'),
  generators: script(
    'generates clients from both OpenAPI documents, and uses them with this release of the service and a later one',
    'test/quality/generators/check.sh',
  ),
  html: script('checks the HTML of each page and view with the Nu checker', 'test/quality/html/check.sh'),
  languages: script(
    'runs the examples and retry libraries of Python, Go, Java, Ruby and PHP, all or those named',
    'test/quality/languages/run.sh',
  ),
  long: {
    about: 'runs the property tests with new cases for about an hour',
    command: () => [...vitest, ...listReaders(manyCases)],
    env: manyCases,
  },
  mutation: {
    about: 'changes random places of src and counts the changes that tests notice; mutation --folder core/traffic',
    command: ['node', 'test/quality/mutation/index.js'],
    env: { SLOW_TESTS: '1' },
  },
  newest: script(
    'uses the package with the newest vitest, msw and Playwright, and searches a suite of it, on Node 20, 22, 24 and 26',
    'test/quality/package/newest.sh',
  ),
  nodes: script(
    'compares the bytes of a scenario on every supported version of Node',
    'test/properties/determinism/nodes.sh',
  ),
  offline: script('runs tests, all or those named, where loopback is the only network', 'test/quality/offline/run.sh'),
  package: script('packs the package, installs it elsewhere and uses every entry', 'test/quality/package/install.sh'),
  retries: script(
    'explores clients with retry libraries of Python, Ruby, Go and npm, all or those named',
    'test/quality/retries/retries.js',
  ),
  rules: script('lists the tests of each rule of the specification', 'test/quality/rules.js'),
  runtimes: script(
    'runs the API tests on Node 20, 22, 24 and 26, Bun, Deno and workerd',
    'test/quality/runtimes/check.sh',
  ),
  screenshots: script('takes the screenshots of README and docs', 'test/browser/screenshots.js'),
  slow: {
    about: 'runs the tests that npm test leaves out, and those that try more cases here, for some minutes',
    command: () => [...vitest, '.slow.test.ts', ...listReaders(slowCases)],
    env: slowCases,
  },
  soak: script('sends requests for an hour and fails when memory grows', 'test/quality/soak/soak.js'),
  worker: script(
    'kills the process of a Worker while it writes, and looks for lost records',
    'test/quality/worker/kill.js',
  ),
}

const [name, ...args] = process.argv.slice(2)
const check = Object.hasOwn(checks, name ?? '') ? checks[name] : undefined
if (check === undefined) {
  const list = Object.entries(checks).map(([each, { about }]) => `  ${each.padEnd(18)}${about}`)
  console.error([name === undefined ? 'Name a check:' : `Unknown check ${name}. There are:`, ...list].join('\n'))
  process.exit(2)
}
const { command } = check
const [program, ...rest] = [...(typeof command === 'function' ? command() : command), ...args]
await import('../../.build.js')
const { status, error } = spawnSync(program, rest, {
  cwd: root,
  env: { ...process.env, ...check.env },
  stdio: 'inherit',
})
if (error) throw error
process.exit(status ?? 1)
