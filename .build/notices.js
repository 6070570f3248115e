// Collects the licences of the packages that are part of the bundles, as they ask for.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text about the packages that these files come from. */
export const noticesOf = (files) => {
  const folders = new Set(files.map((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)[0]))
  const notices = [...folders].toSorted().map(noticeOf)
  return `${['paylink-mock contains code of these packages.', ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

const noticeOf = (folder) => {
  const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = ['LICENSE', 'LICENSE.md', 'license'].map((each) => join(folder, each)).find(existsSync)
  // Some packages name their licence and leave the text in their repository.
  const text = file === undefined ? `Its licence: ${repository.url ?? repository}` : readFileSync(file, 'utf8').trim()
  return `${name} ${version} (${license})\n\n${text}`
}
