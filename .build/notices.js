// Collects the licences of everything that is part of the bundles, in full.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The copyright holders of packages under the MIT licence that are bundled without a licence file. */
const holders = {
  // It publishes no licence file, but names its author.
  '@hono/zod-validator': 'Yusuke Wada',
  // The helpers that the bundler adds are those of Babel.
  '@oxc-project/runtime': '2014-present Sebastian McKenzie and other contributors',
}

/**
 * Returns the licences of the packages that modules come from.
 *
 * @param modules the ids of modules: paths, and virtual modules of the bundler, which begin with a NUL
 * @throws Error if the text of a licence is unknown
 */
export const noticesOf = (modules) => {
  const notices = new Map(modules.map(noticeOf))
  const sorted = [...notices].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([heading, text]) => `${heading}\n\n${text}`)
  return `${['paylink-mock contains code of these packages.', ...sorted].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** Returns a heading, and the text of the licence. */
const noticeOf = (module) => {
  const [, helpers, helpersVersion] = /^\0(@[^/+]+\+[^@]+)@([^/]+)/.exec(module) ?? []
  if (helpers !== undefined) return notice(helpers.replace('+', '/'), helpersVersion, 'MIT')
  const virtual = /^\0([^/]+)\//.exec(module)?.[1]
  const folder = virtual ? `node_modules/${virtual}` : /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)[0]
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return notice(name, version, license, folder)
}

const notice = (name, version, license, folder) => {
  const file = ['LICENSE', 'LICENSE.md', 'license'].map((each) => join(folder ?? '', each)).find(existsSync)
  const isFile = folder !== undefined && file !== undefined
  if (!isFile && (license !== 'MIT' || holders[name] === undefined))
    throw new Error(`${name} is bundled, but has no licence file: add its holder to .build/notices.js.`)
  return [`${name} ${version} (${license})`, isFile ? readFileSync(file, 'utf8').trim() : mit(holders[name])]
}

const mit = (holder) => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
