// Catalogues of the console: each has every text that the console shows, and nothing else.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { translate } from '../console/texts.ts'
import { assertSameForm, consoleTexts, missingFrom } from './support/console-texts.ts'

const folder = resolve(import.meta.dirname, '..', 'console', 'languages')

const readCatalogue = (path: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(path, 'utf8')) as never

for (const path of globSync(join(folder, '*.json'))) {
  describe(`the language ${basename(path, '.json')}`, () => {
    const catalogue = readCatalogue(path)
    const known = new Set(Object.keys(catalogue))

    test('has every text of the console, and no others', async () => {
      const { missing, used } = missingFrom(known, await consoleTexts(known))
      assert.deepEqual(missing, [], 'texts without a translation')
      assert.deepEqual(
        [...known].filter((text) => !used.has(text)),
        [],
        'translations of texts that are gone',
      )
    })

    test('has the same gaps and the same spaces at the ends as the English texts', () => assertSameForm(catalogue))
  })
}

describe('the texts of a module', () => {
  const rewrite = (code: string, known: readonly string[] = []): string =>
    translate('pages/own.tsx', code, new Set(known)).code

  test('are what people read: between tags with their gaps, in attributes, and sentences', () => {
    assert.equal(
      rewrite('const a = <p title="Who paid">Paid by {name} at <b>{place}</b></p>'),
      'const a = <p title={$say("Who paid")}>{$say("Paid by {0} at {1}", name, <b>{place}</b>)}</p>',
    )
    assert.equal(
      rewrite('const a = <p>\n  {count === 1 ? "one" : `${count} rows`}{" "}\n  {isOpen && "open"}\n</p>'),
      'const a = <p>\n  {count === 1 ? $say("one") : $say("{0} rows", count)}{" "}\n  {isOpen && $say("open")}\n</p>',
    )
    assert.equal(rewrite('const names = { open: "Waits for you" }'), 'const names = { open: $say("Waits for you") }')
  })

  test('are never values, names, paths or classes', () => {
    for (const code of [
      'if (status === "Paid") stop()',
      'const a = <b className="table cell" to="/payments">{merchant.name}</b>',
      "api.post(`/payments/${id}`, { status: 'open' })",
      'type State = "Is open" | "Is closed"',
      'const a = <code>payin rates set</code>',
    ])
      assert.equal(rewrite(code), code)
  })

  test('may differ by their module', () => {
    assert.equal(rewrite('const a = <th>To</th>', ['own: To']), 'const a = <th>{$sayIn("own", "To")}</th>')
    assert.equal(rewrite('const a = <th>To</th>', ['other: To']), 'const a = <th>{$say("To")}</th>')
  })
})
