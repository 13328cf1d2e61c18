// What of a bank's report proves that outgoing money was returned, whatever its decider says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnnouncedDetails, isProvenReturn } from '../../src/rules/transfers/announced.ts'

const payer = { number: '40817810000000001111', name: 'PYOTR PAYER' }
const cash = { number: null, name: null, text: 'ATM CASH TVERSKAYA' }
const name = { name: 'tverskaya', setAt: 10, setBy: ['merchant'] }

const cases: readonly (readonly [
  title: string,
  payee: typeof cash | (typeof payer & { text: string }),
  known: Partial<AnnouncedDetails>,
  isProven: boolean,
])[] = [
  ['a name that somebody else set before the money left proves it', cash, { names: [name] }, true],
  ['one that was set later does not', cash, { names: [{ ...name, setAt: 21 }] }, false],
  ['nor does one that the decider set, too', cash, { names: [{ ...name, setBy: ['anna', 'merchant'] }] }, false],
  ['nor a reference that only one person says the bank has given', cash, { names: [{ ...name, setAt: null }] }, false],
  ['a payee who sent as much proves it', { ...payer, text: 'x' }, { returnable: 30n }, true],
  ['a payee who sent less does not', { ...payer, text: 'x' }, { returnable: 29n }, false],
  ['nor does the text then', { ...payer, text: 'tverskaya' }, { returnable: 29n, names: [name] }, false],
]

for (const [title, payee, known, isProven] of cases)
  test(`outgoing money was returned: ${title}`, () => {
    const announced = { payers: [payer], returnable: 100n, names: [], ...known }
    assert.equal(
      isProvenReturn({ ...payee, amount: 30n, bookedAt: 20 }, announced, (setBy) => setBy !== 'anna'),
      isProven,
    )
  })
