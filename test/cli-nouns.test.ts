import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '../src/cli/print-table.ts'
import { printRow } from '../src/cli/show-rows.ts'
import { Id } from '../src/operations/fields.ts'
import { presented } from '../src/operations/field.ts'
import { ofRequisite } from '../src/operations/operator-fields.ts'
import { Type } from '../src/operations/schema.ts'

const id = '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'

test('a requisite is shown once, as operators know it, else by its id', () => {
  const shown = (row: object) =>
    render(printRow(Type.Object({ ...ofRequisite, id: Id }), { ...row }), { width: 80, isBold: false })
  const requisite = { label: 'Main account', method: 'sbp', bankIssuer: 'sberbank', number: '•••• 4821' }
  assert.match(shown({ requisiteId: id, requisite, id }), /^Requisite +Main account\nId +019a\S+$/)
  assert.match(shown({ requisiteId: id, id }), /^Requisite +019a\S+\nId +019a\S+$/)
})

test('counts of 0 are left out, no ids are what is said where there are none, rows have the currency of the answer', () => {
  const inCurrency = { currency: 'currency' }
  const answer = Type.Object({
    amount: presented(Type.Number(), inCurrency),
    currency: Type.String(),
    counts: presented(Type.Object({ rows: Type.Integer(), errors: Type.Integer() }), { kind: 'counts' }),
    candidates: presented(Type.Array(Id), { absent: 'none' }),
    parts: Type.Rows('', { amount: presented(Type.Number(), inCurrency) }),
  })
  const row = { amount: 5, currency: 'rub', counts: { rows: 2, errors: 0 }, candidates: [], parts: [{ amount: 5 }] }
  assert.equal(
    render(printRow(answer, row), { width: 80, isBold: false }),
    'Amount      5.00 rub\nCounts      rows 2\nCandidates  none\n\n  AMOUNT\n5.00 rub',
  )
})
