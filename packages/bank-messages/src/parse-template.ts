// Templates as they are written: `[…]` is optional, `<a|b>` a choice, `{name}` a gap, and `\` makes the next character
// plain. Everything else is the bank's own text.
import type { Bank } from './bank.ts'
import { gaps } from './gaps.ts'
import { normalText } from './normal-text.ts'
import { choice, optional, type Pattern, sequence, spacing } from './pattern.ts'

/** What a template takes from its bank. */
export type TemplateBank = Pick<Bank, 'currency' | 'thousands' | 'currencyWords' | 'parts'>

/** A template that cannot be understood, with the place of the fault. */
export class TemplateFault extends Error {
  readonly template: string
  readonly at: number

  constructor(template: string, at: number, reason: string) {
    super(`${reason} at character ${at + 1} of the template ${JSON.stringify(template)}`)
    this.template = template
    this.at = at
  }
}

/** The most levels of optional parts, choices and parts inside each other. */
const deepest = 12

/** Parts that every bank has. */
const commonParts: Readonly<Record<string, string>> = {
  /** What banks write before a balance. */
  left: '<Баланс|Доступно|Остаток|Balans|Dostupno|Ostatok|Balance>[:]',
}

const gapOf = (name: string) => (Object.hasOwn(gaps, name) ? gaps[name] : undefined)

class TemplateParser {
  #at = 0
  #isSpaced = true
  #isAfterText = false

  readonly template: string
  readonly bank: TemplateBank
  #depth: number

  constructor(template: string, bank: TemplateBank, depth: number) {
    this.template = template
    this.bank = bank
    this.#depth = depth
  }

  parse(): Pattern {
    const parts = this.#items('')
    if (this.#at < this.template.length) this.fail(`${this.template[this.#at]} closes nothing`)
    return sequence(...parts)
  }

  fail(reason: string): never {
    throw new TemplateFault(this.template, this.#at, reason)
  }

  /** Reads up to one of the characters that end it, and leaves that one. */
  #items(ends: string): Pattern[] {
    const parts: Pattern[] = []
    for (;;) {
      const character = this.template[this.#at]
      if (character === undefined || ends.includes(character)) return parts
      if (character === ']' || character === '>' || character === '}') return parts
      parts.push(...this.#item(character))
    }
  }

  #item(character: string): Pattern[] {
    switch (character) {
      case '[':
        return [optional(this.#group(']'))]
      case '<':
        return [this.#group('>')]
      case '{':
        return [this.#gap()]
      case '\\':
        this.#at += 1
        if (this.#at === this.template.length) this.fail('Nothing follows \\')
        return this.#literal(this.template[this.#at] ?? '')
      default:
        return this.#literal(character)
    }
  }

  #literal(character: string): Pattern[] {
    this.#at += 1
    const { folded } = normalText(character)
    if (folded === '') {
      if (/\s/.test(character)) this.#isSpaced = true
      return []
    }
    const space = this.#space()
    this.#isSpaced = false
    this.#isAfterText = false
    return [{ type: 'character', code: folded.charCodeAt(0), space }]
  }

  #enter(): void {
    this.#depth += 1
    if (this.#depth > deepest) this.fail('Too many levels')
  }

  #space() {
    return this.#isSpaced ? spacing.written : spacing.unwritten
  }

  #group(end: string): Pattern {
    this.#enter()
    const before = { isSpaced: this.#isSpaced, isAfterText: this.#isAfterText }
    // What is left out, too, may be what comes before the rest.
    const after = end === ']' ? [before] : []
    const branches: Pattern[] = []
    do {
      this.#at += 1
      this.#isSpaced = before.isSpaced
      this.#isAfterText = before.isAfterText
      branches.push(sequence(...this.#items('|')))
      after.push({ isSpaced: this.#isSpaced, isAfterText: this.#isAfterText })
    } while (this.template[this.#at] === '|')
    if (this.template[this.#at] !== end) this.fail(`${end} is missing`)
    this.#at += 1
    this.#depth -= 1
    this.#isSpaced = after.some((each) => each.isSpaced)
    this.#isAfterText = after.some((each) => each.isAfterText)
    return choice(...branches)
  }

  #gap(): Pattern {
    const close = this.template.indexOf('}', this.#at)
    if (close < 0) this.fail('} is missing')
    const [name = '', option = ''] = this.template.slice(this.#at + 1, close).split(':')
    const part = commonParts[name] ?? this.bank.parts?.[name]
    if (part !== undefined && gapOf(name) === undefined) return this.#part(part, close)
    const gap = gapOf(name)
    if (gap === undefined) this.fail(`There is no gap {${name}}`)
    const pattern = gap.build(name, option, {
      ...this.bank,
      space: this.#space(),
      afterText: this.#isAfterText,
    })
    this.#at = close + 1
    this.#isSpaced = false
    this.#isAfterText = gap.isText === true
    return pattern
  }

  #part(text: string, close: number): Pattern {
    this.#enter()
    const parser = new TemplateParser(text, this.bank, this.#depth)
    parser.#isSpaced = this.#isSpaced
    parser.#isAfterText = this.#isAfterText
    const pattern = parser.parse()
    this.#depth -= 1
    this.#at = close + 1
    this.#isSpaced = parser.#isSpaced
    this.#isAfterText = parser.#isAfterText
    return pattern
  }
}

/** A template as a pattern. */
export const parseTemplate = (template: string, bank: TemplateBank): Pattern =>
  new TemplateParser(template, bank, 0).parse()

/** Characters that mean something in templates. */
const meaningful = /[[\]<>{}|\\]/g

/** A text as a template writes it. */
export const escapeTemplate = (text: string): string => text.replace(meaningful, String.raw`\$&`)

/** The texts that every match of a pattern has one after another, without spaces: of each, one of several. */
export const fixedTexts = (pattern: Pattern): readonly (readonly string[])[] => {
  const found: (readonly string[])[] = []
  let current = ''
  const end = (): void => {
    if (current !== '') found.push([current])
    current = ''
  }
  const add = (part: Pattern): void => {
    if (part.type === 'sequence') for (const each of part.parts) add(each)
    else if (part.type === 'character') current += String.fromCharCode(part.code)
    else if (part.type === 'choice' && part.parts.length === 1) for (const each of part.parts) add(each)
    else if (part.type !== 'end') {
      end()
      const [first = [], ...others] = part.type === 'choice' ? part.parts.map((each) => fixedTexts(each)[0] ?? []) : []
      if ([first, ...others].every((each) => each.length > 0)) found.push([first, ...others].flat())
    }
  }
  add(pattern)
  end()
  return found
}

/** Whether a text has, from `start`, what every match of a pattern has. */
export const hasFixed = (text: string, fixed: readonly (readonly string[])[], start: number): boolean => {
  let from = start
  for (const texts of fixed) {
    let next = Infinity
    for (const each of texts) {
      const at = text.indexOf(each, from)
      if (at >= 0) next = Math.min(next, at + each.length)
    }
    if (next === Infinity) return false
    from = next
  }
  return true
}
