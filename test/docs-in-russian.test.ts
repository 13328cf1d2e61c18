// docs/ru has the guides for operators in Russian. Whoever changes one in English changes it there, too: what a machine
// can compare is compared section by section, so that a guide that was left behind fails with its name.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { test } from 'node:test'
import { anchorOf, codeWords, type Section, sectionsOf } from './support/markdown.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const sorted = (values: readonly string[]): string[] => [...new Set(values)].toSorted()

/** A block without what is translated: the comments of commands, and the labels of a diagram. */
const commandsOf = (block: string): string =>
  block.replaceAll(block.startsWith('```mermaid') ? /: .*$/gm : /\s+# .*$/gm, '')

/** For each row of the tables, the code in each of its cells. */
const tablesOf = (text: string): string[][][] =>
  text
    .split('\n')
    .filter((line) => /^ *\|/.test(line))
    .map((line) => line.split('|').map((cell) => codeWords(cell).toSorted()))

/** Numbers in digits, whatever separates their thousands and decimals; not those of addresses and code. */
const numbersOf = ({ heading, text }: Section): string[] => {
  const prose = `${heading}\n${text}`.replaceAll(/`[^`]+`|\]\([^)]*\)/g, '')
  const grouped = prose.replaceAll(/(?<=\d)[,\u00a0](?=\d{3}(?!\d))/g, '')
  return sorted([...grouped.matchAll(/\d+(?:[.,]\d+)?/g)].map(([number]) => number.replace(',', '.')))
}

/** Where a link leads: the English edition of the page, and which of its headings. */
const targetOf = (from: string, link: string): string => {
  if (/^https?:/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), path))
  assert.ok(existsSync(join(root, file)), `${from} links to ${file}, which does not exist`)
  const english = file.replace(/^docs\/ru\//, 'docs/')
  if (anchor === undefined) return english
  const found = sectionsOf(read(file)).findIndex(({ heading }) => anchorOf(heading) === anchor)
  assert.ok(found >= 0, `${from} links to ${link}, which does not have this heading`)
  return `${english}#${found}`
}

const linksOf = (from: string, text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => targetOf(from, link))

const compared = (path: string, { blocks, text }: Section) => ({
  paragraphs: text.trim().split(/\n{2,}/).length,
  items: [...text.matchAll(/^ *(?:-|\d+\.) /gm)].map(([mark]) => mark),
  blocks: blocks.map(commandsOf),
  tables: tablesOf(text),
  words: sorted(codeWords(text)),
  links: sorted(linksOf(path, text)),
})

const guides = globSync('docs/ru/*.md', { cwd: root })

for (const russian of guides) {
  const name = posix.basename(russian)
  const english = `docs/${name}`
  const [original, translated] = [sectionsOf(read(english)), sectionsOf(read(russian))]

  test(`${russian} has the headings of ${english}, and each names the other one`, () => {
    const levels = (sections: readonly Section[]) => sections.map(({ level }) => level)
    assert.deepEqual(levels(translated), levels(original))
    assert.match(read(english), new RegExp(`^# .+\n\n\\[По-русски\\]\\(ru/${name}\\)\n`))
    assert.match(read(russian), new RegExp(`^# .+\n\n\\[In English\\]\\(\\.\\./${name}\\)\n`))
  })

  for (const [index, section] of original.entries()) {
    test(`${russian}, "${section.heading}": lists, commands, tables, words in code, links and numbers`, () => {
      const same = translated[index]
      assert.ok(same)
      assert.deepEqual(compared(russian, same), compared(english, section))
      const numbers = new Set(numbersOf(same))
      assert.deepEqual(
        numbersOf(section).filter((number) => !numbers.has(number)),
        [],
      )
    })
  }
}

test('the README lists each guide in both languages', () => {
  const [, operators = ''] = /^- \*\*For operators:\*\* ([^*]+)/m.exec(read('README.md')) ?? []
  const listed = [...operators.matchAll(/\(docs\/([\w-]+\.md)\)/g)].map(([, name]) => `docs/ru/${name}`)
  const inRussian = [...read('README.md').matchAll(/\((docs\/ru\/[\w-]+\.md)\)/g)].map(([, path]) => path)
  assert.deepEqual(inRussian, [...listed, 'docs/ru/glossary.md'])
  assert.deepEqual(inRussian.toSorted(), guides.toSorted())
})
