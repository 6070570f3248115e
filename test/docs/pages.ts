import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { expect } from 'vitest'
import { root } from '../support/installed.ts'

const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .toSorted()

/** The guides, by their path from the root. */
export const guides = ['README.md', ...inFolder('docs')]

/** The other pages that link to files. */
export const otherPages = ['AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...inFolder('examples')]

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

export const withoutCode = (text: string): string => text.replace(/^```[^]*?^```$/gm, '')

/** A code block, with the line that it starts in. */
export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
}

const blocksOf = (page: string): Block[] => {
  const text = textOf(page)
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(({ index, 1: language, 2: code }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language: language!,
    code: code!,
  }))
}

export const allBlocks: readonly Block[] = guides.flatMap(blocksOf)

export const blocks = (language: string): Block[] => allBlocks.filter((block) => block.language === language)

/** The commands of a shell block, without comments. A line that ends with a backslash continues. */
export const shellLines = ({ code }: Block): string[] =>
  code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

/** The page with the files that it includes as they are now: each is between two comments with its path. */
export const withFiles = (page: string, language: string): string =>
  page.replace(
    /<!-- (examples\/\S+) -->[^]*?<!-- \/\1 -->/g,
    (_, file: string) => `<!-- ${file} -->\n\n\`\`\`${language}\n${textOf(file)}\`\`\`\n\n<!-- /${file} -->`,
  )

/** Expects a page to have this text, or writes it with `npm test -- -u`. */
export const expectText = async (page: string, text: string): Promise<void> => {
  const { prettier } = JSON.parse(textOf('package.json'))
  // To format a page takes a second.
  const formatted = text === textOf(page) ? text : await format(text, { parser: 'markdown', ...prettier })
  await expect(formatted).toMatchFileSnapshot(join(root, page))
}

export const allCommands: readonly { readonly page: string; readonly line: string }[] = blocks('sh').flatMap((block) =>
  shellLines(block).map((line) => ({ page: block.page, line })),
)

export const commandsByPage = (program: RegExp): { page: string; lines: string[] }[] =>
  guides
    .map((page) => ({
      page,
      lines: allCommands.flatMap((one) => (one.page === page && program.test(one.line) ? one.line : [])),
    }))
    .filter(({ lines }) => lines.length > 0)
