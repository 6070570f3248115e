// How the programs of the corpus are started.
import { execFileSync, spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const hasProgram = (program, argument = '--version') => spawnSync(program, [argument]).status === 0

// A shim, such as that of pyenv, takes longer to start than the program.
const findPython = () => spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout

const languages = {
  python: {
    extension: 'py',
    prepare: () => (hasProgram('python3') ? (file) => [findPython().trim(), file] : undefined),
  },
  javascript: { extension: 'js', prepare: () => (file) => [process.execPath, file] },
  ruby: {
    extension: 'rb',
    prepare: () => (hasProgram('ruby') ? (file) => ['ruby', '--disable-gems', file] : undefined),
  },
  go: {
    extension: 'go',
    prepare: (folder) => (hasProgram('go', 'version') ? (file) => [buildGo(file, folder)] : undefined),
  },
  shell: { extension: 'sh', prepare: () => (hasProgram('curl') ? (file) => ['sh', file] : undefined) },
}
export const languageNames = Object.keys(languages)

/** Compiles a program. To start it then costs as little as any other one. */
const buildGo = (file, folder) => {
  const program = join(folder, basename(file, '.go'))
  const env = { ...process.env, GO111MODULE: 'off' }
  execFileSync('go', ['build', '-ldflags=-s -w', '-o', program, file], { env, stdio: 'inherit' })
  return program
}

/**
 * Creates a function that returns the words that start a file of a language, or undefined if the machine does not have it.
 *
 * @param {string} folder for compiled programs
 */
export const createStarter = (folder) => {
  const prepared = new Map()
  const words = new Map()
  return (language, name) => {
    if (!prepared.has(language)) prepared.set(language, languages[language].prepare(folder))
    const start = prepared.get(language)
    const file = fileURLToPath(new URL(`${language}/${name}.${languages[language].extension}`, import.meta.url))
    if (start !== undefined && !words.has(file)) words.set(file, start(file))
    return words.get(file)
  }
}
