// One word, one meaning (docs/glossary.md), and English that a native engineer would write.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { identifierWords, namesOfOthers, phrases } from './support/house-words.ts'
import { lineAt, scanSource } from './support/source-text.ts'

const root = resolve(import.meta.dirname, '..')

const readTree = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.name === 'dist') return []
    return entry.isDirectory() ? readTree(path) : [path]
  })

/** Lower-case words of a camelCase, snake_case or kebab-case name. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase())

/** Names in a source: those of the code, and in SQL those with an underscore or after `as`. */
const namesIn = (path: string, text: string): { name: string; at: number }[] => {
  const { code } = scanSource(text)
  const inCode = [...code.matchAll(/[A-Za-z_$][\w$]*/g)]
  const inSql = path.endsWith('store.ts') ? [...text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)] : []
  return [...inCode, ...inSql].map((match) => ({ name: match[0], at: match.index }))
}

const wrongNames = (path: string, text: string): string[] =>
  namesIn(path, text).flatMap(({ name, at }) => {
    if (namesOfOthers.includes(name)) return []
    const words = wordsOf(name)
    const rule = identifierWords.find(({ word, only }) => !only?.test(path) && words.some((each) => word.test(each)))
    return rule === undefined ? [] : [`${path}:${lineAt(text, at)} ${name}: ${rule.instead}`]
  })

const wrongPhrases = (path: string, text: string): string[] =>
  phrases.flatMap(({ phrase, instead }) =>
    [...text.matchAll(new RegExp(phrase, 'gi'))].map(
      (match) => `${path}:${lineAt(text, match.index)} "${match[0]}": ${instead}`,
    ),
  )

const rulesThemselves = new Set(['test/support/house-words.ts', 'test/words.test.ts'])
const sources = ['src', 'site', 'packages', 'sdk/src', 'test', 'bench', 'scripts']
  .flatMap(readTree)
  .filter((path) => /\.(?:ts|js|cjs|css|lua)$/.test(path))
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readTree('docs').filter((path) => path.endsWith('.md') || path.endsWith('.json')),
  ...readTree('bench').filter((path) => path.endsWith('.md')),
  ...readTree('migrations'),
  'sdk/README.md',
  'packages/bank-files/README.md',
  'packages/bank-messages/README.md',
  '.env.example',
]

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const assertNone = (violations: readonly string[]): void =>
  assert.equal(violations.length, 0, `\n${violations.join('\n')}\n${violations.length} in all`)

describe('words', () => {
  test('no name has a word that is gone, or one of another area', () => {
    const named = sources.filter((path) => /^(?:site|(?:packages\/[^/]+\/)?src)\//.test(path))
    assertNone(named.flatMap((path) => wrongNames(path, read(path))))
  })

  test('no text has a phrase of the list', () => {
    const texts = [...sources, ...documents].filter(
      (path) => !rulesThemselves.has(path) && !path.includes('node_modules'),
    )
    assertNone(texts.flatMap((path) => wrongPhrases(path, read(path))))
  })
})

describe('words: the checks themselves', () => {
  test('names are split into words, and others may keep theirs', () => {
    assert.equal(wrongNames('src/engine/transfers/a.ts', 'const toldElsewhere = 1').length, 1)
    assert.equal(wrongNames('src/engine/transfers/store.ts', 'const a = `select repeat_of from transfers`').length, 1)
    assert.equal(wrongNames('src/engine/payments/a.ts', 'settlePayments()').length, 1)
    assert.equal(wrongNames('src/engine/ledger/a.ts', 'createSettlement()').length, 0)
    assert.equal(wrongNames('src/engine/a.ts', "const s = 'statement_timeout'; preparedStatements").length, 0)
    assert.equal(wrongNames('src/engine/payments/a.ts', 'const statement = 1').length, 1)
    assert.equal(wrongNames('src/cli/a.ts', '// told\nconst a = "told"').length, 0)
  })

  test('phrases are found in comments, texts and documents', () => {
    assert.equal(wrongPhrases('a.md', 'On by default unless told otherwise.').length, 2)
    assert.equal(wrongPhrases('a.md', 'There is no such payment. This is no payment of ours.').length, 1)
    assert.equal(wrongPhrases('a.md', 'Payin runs behind a reverse proxy.').length, 0)
  })
})
