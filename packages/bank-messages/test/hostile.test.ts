// Texts made to be slow: a matcher takes steps in proportion to the text, which is counted and not timed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { banks, compileTemplate, type MessageKind, normalText } from '../src/bank-messages.ts'

const templates = banks.flatMap((bank) =>
  Object.entries(bank.templates).flatMap(([kind, texts]) =>
    texts.map((template) => compileTemplate(kind as MessageKind, template, bank)),
  ),
)

/** Something that is repeated, after the beginning and before the end of a message. */
const repeated: Readonly<Record<string, string>> = {
  digits: '1',
  'groups of digits': '1 000 ',
  points: '1.',
  times: '11:59 ',
  names: 'Глеб Н. ',
  letters: 'а',
  quotation: '"',
  marks: '*',
  credits: 'Перевод 2460р от Глеб Н. Баланс: 9 325.7р «',
  balances: 'Баланс: 1р ',
  nothing: ' ',
}

const stepsOf = (template: (typeof templates)[number], text: string): number => {
  const work = { steps: 0 }
  template.read(normalText(text), 0, work)
  return work.steps
}

const like = 'СЧЁТ5082 11:59 Перевод 2460р от Глеб Н. Баланс: 9 325.7р «'

describe('hostile texts', () => {
  for (const [what, piece] of Object.entries(repeated))
    test(`100,000 characters of ${what} take no more steps than their number times the size of a template`, () => {
      const text = like + piece.repeat(100_000 / piece.length)
      const slowest = templates.filter(({ template }) => /от \{person\}.*comment/.test(template)).slice(0, 3)
      assert.ok(slowest.length > 0)
      for (const template of slowest)
        assert.ok(stepsOf(template, text) <= 2 * template.size * (text.length + 1), template.template)
    })

  test('every template takes twice the steps for twice the text, at most', () => {
    for (const template of templates) {
      const fixed = template.template.replace(/\{[^}]*\}|[[\]<>|]/g, ' 1 ')
      for (const piece of [fixed, ...Object.values(repeated)]) {
        const [once, twice] = [600, 1200].map((length) =>
          stepsOf(template, fixed + piece.repeat(Math.ceil(length / piece.length)).slice(0, length)),
        )
        const bound = 2 * (once ?? 0) + 2 * template.size * (fixed.length + 2)
        assert.ok((twice ?? 0) <= bound, `${template.template}: ${once}, then ${twice}`)
      }
    }
  })
})
