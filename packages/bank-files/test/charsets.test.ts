// Which character set a file is taken for, by its letters, and what an operator may say against it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFile } from './support/read-file.ts'
import { encode } from './support/made-files.ts'

const csvOf = (text: string): string => `Date;Amount;Text\n2026-01-30;+10.00;${text}\n2026-01-31;-1.00;x\n`
/** Bytes of ISO 8859-15: the euro sign and the letters that ISO 8859-1 lacks. */
const latin9 = (text: string): Buffer =>
  Buffer.from(
    [...text].map((letter) => {
      const at = '€ŠšŽžŒœŸ'.indexOf(letter)
      return at < 0 ? letter.charCodeAt(0) : ([0xa4, 0xa6, 0xa8, 0xb4, 0xb8, 0xbc, 0xbd, 0xbe][at] ?? 0)
    }),
  )

const texts: readonly (readonly [string, string, Buffer])[] = [
  ['windows-1251', 'Перевод по счету', encode(csvOf('Перевод по счету'), 'windows-1251')],
  ['windows-1251', 'ОПЛАТА ЗАКАЗА', encode(csvOf('ОПЛАТА ЗАКАЗА'), 'windows-1251')],
  ['ibm866', 'Перевод по счету', encode(csvOf('Перевод по счету'), 'ibm866')],
  ['ibm866', 'ОПЛАТА ЗАКАЗА', encode(csvOf('ОПЛАТА ЗАКАЗА'), 'ibm866')],
  ['windows-1251', 'Заказ № 7, Müller', encode(csvOf('Заказ № 7'), 'windows-1251')],
  ['iso-8859-1', 'Überweisung für Müller', Buffer.from(csvOf('Überweisung für Müller'), 'latin1')],
  ['iso-8859-1', 'Réglé à l’hôtel', Buffer.from(csvOf("Réglé à l'hôtel"), 'latin1')],
  ['iso-8859-15', '10 € für Müller', latin9(csvOf('10 € für Müller'))],
  ['iso-8859-15', 'Žižkov', latin9(csvOf('Žižkov'))],
  ['utf-8', 'Überweisung', Buffer.from(csvOf('Überweisung'))],
]

for (const [charset, text, bytes] of texts) {
  test(`"${text}" in ${charset} is read in it`, async () => {
    const { shape, rows, faults } = await readFile(bytes)
    assert.deepEqual(faults, [])
    assert.equal(shape?.charset, charset)
    assert.ok(rows[0]?.text?.startsWith(text.slice(0, 4)), rows[0]?.text ?? '')
  })
}

test('the character set that an operator gives is used, whatever the letters look like', async () => {
  const bytes = encode(csvOf('Перевод'), 'windows-1251')
  const { shape, rows } = await readFile(bytes, { mapping: { charset: 'iso-8859-1' } })
  assert.deepEqual([shape?.charset, shape?.mapping?.charset], ['iso-8859-1', 'iso-8859-1'])
  assert.notEqual(rows[0]?.text, 'Перевод')
})
