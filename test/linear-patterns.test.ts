// A regular expression that sees a text of a stranger takes time in proportion to its length: one that takes the square
// of it lets a file of 300 kB stop the service for seconds.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { adversarialTexts, type GrowingText, hasEndlessPart } from './support/adversarial-texts.ts'
import { lineAt, scanSource } from './support/source-text.ts'

const root = resolve(import.meta.dirname, '..')

/** Files whose expressions see no text of a stranger: path → whose it is. */
const exempt: Readonly<Record<string, string>> = {
  'packages/database/src/read-migrations.ts': 'our own migrations, read once at the start',
  'src/settings/config.ts': 'names and values of the operator, read once at the start',
  'src/http/payment-page/page-assets.ts': 'our own scripts and styles, read once at the start',
}

type Found = { readonly where: string; readonly pattern: RegExp }

/** The regular expressions of a source text, and the patterns of its schemas. */
const patternsOf = (path: string, text: string): Found[] => {
  const source = scanSource(text)
  const literals = [...source.code.matchAll(/\/[ \n]+\/(?<flags>[a-z]*)/g)].map((match) => {
    const flags = match.groups?.['flags'] ?? ''
    const body = text.slice(match.index + 1, match.index + match[0].length - flags.length - 1)
    return { where: `${path}:${lineAt(text, match.index)}`, pattern: new RegExp(body, flags) }
  })
  const schemas = [...source.code.matchAll(/\bpattern: (?=')/g)].map((match) => {
    const written = source.strings.get(match.index + match[0].length) ?? ''
    const where = `${path}:${lineAt(text, match.index)}`
    return { where, pattern: new RegExp(written.replaceAll('\\\\', '\\'), 'u') }
  })
  return [...literals, ...schemas]
}

/**
 * The milliseconds that processors spend on a pattern for a text, as the service uses it: all matches of a global one.
 * What others do on the machine meanwhile does not count. (The usage of a thread is only known by the clock's ticks.)
 */
const timeOf = (pattern: RegExp, text: string): number => {
  const start = process.cpuUsage()
  if (pattern.global) text.replace(pattern, '')
  else pattern.test(text)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

const [small, large] = [1000, 8000]
/** For eight times the text a linear pattern takes eight times as long, a quadratic one 64 times. */
const mostGrowth = 24
/** Less is not worth a second look: a quadratic pattern takes some hundred milliseconds for the large text. */
const unnoticed = 2

/** The least time of a few tries, or one below a bound: a busy machine makes a pattern slower, never faster. */
const leastTime = (pattern: RegExp, text: string, bound: number): number => {
  let least = Infinity
  for (let tries = 0; tries < 3 && least > bound; tries++) least = Math.min(least, timeOf(pattern, text))
  return least
}

const isSlow = (pattern: RegExp, text: GrowingText): boolean => {
  // An exponential pattern shows in a few characters, a cubic one in some hundred; neither must stop the test.
  for (let length = 16; length < 500; length = length < 64 ? length + 1 : Math.ceil(length * 1.2))
    if (leastTime(pattern, text.of(length), 50) > 50) return true
  if (leastTime(pattern, text.of(small), 500) > 500) return true
  const whole = text.of(large)
  const long = leastTime(pattern, whole, unnoticed)
  return long > unnoticed && long / Math.max(leastTime(pattern, text.of(small), 0), 0.02) > mostGrowth
}

/** The text that a pattern takes too long for, if any. */
const slowText = (pattern: RegExp): string | undefined =>
  hasEndlessPart(pattern) ? adversarialTexts(pattern).find((text) => isSlow(pattern, text))?.shown : undefined

describe('regular expressions', () => {
  test('those of src and the packages take time in proportion to the text', () => {
    const files = globSync('{src,packages/*/src}/**/*.ts', { cwd: root }).filter((path) => !(path in exempt))
    const found = files.flatMap((path) => patternsOf(path, readFileSync(join(root, path), 'utf8')))
    assert.ok(found.length > 50, `${found.length} found`)
    const slow = found.flatMap(({ where, pattern }) => {
      // Found twice: whatever else a busy machine does at that moment, it does not do it again for the same pattern.
      const text = slowText(pattern) && slowText(pattern)
      return text === undefined ? [] : [`${where} ${pattern} takes too long for ${text}`]
    })
    assert.deepEqual(slow, [])
  })

  // The ones that an attack has found, and the shapes that they are of.
  for (const pattern of [
    /[:\s]([+-]?[\d\s\u00a0]*\d[.,]\d\d)\D*$/,
    /^(?:\{4:)?\s*:20:/m,
    /^\s*(?:OFXHEADER\s*:|(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<OFX>)/is,
    /"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]|General/gi,
    /\/\/.*@/s,
    /=+$/,
    /^[a-z0-9+.-]*(?:bank|pay)[a-z0-9+.-]*$/,
    /\d+\.\d+\.\d+\.\d+$/,
    /^(?:a|a)*$/,
    /^(\w+\s?)*$/,
    /<!--.*?-->/gs,
  ])
    test(`${pattern} is found to be slow`, () => assert.notEqual(slowText(pattern), undefined))

  test('patterns are found where they are written', () => {
    const text = "const a = /b+/g // /no/\nconst c = { pattern: '^\\\\d+$' }\n"
    const found = patternsOf('a.ts', text).map(({ where, pattern }) => `${where} ${pattern}`)
    assert.deepEqual(found, ['a.ts:1 /b+/g', 'a.ts:2 /^\\d+$/u'])
  })
})
