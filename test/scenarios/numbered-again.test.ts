// Banks number their bookings again: a number that another booking had before neither hides money nor doubles it.
import assert from 'node:assert/strict'
import { camt, csv, details, entry, ofx } from '../../packages/bank-files/test/support/short-files.ts'
import { openAccounts } from '../support/bank-accounts.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

type File = (account: string) => string

/** Imports files, and returns what was recorded; a preview shows what its import then does. */
const bring = async (service: TestService, ...files: readonly File[]): Promise<string[]> => {
  service.clock.now = Date.parse('2026-11-28T08:00:00.000Z')
  const bank = await openAccounts(service, 'eur')
  for (const file of files) {
    const { status, body } = await uploadFile(service, file(bank.numbers[0]))
    assert.equal(status, 201, JSON.stringify(body))
    await bank.confirm(body.id)
    await service.runJobs()
    assert.deepEqual((await bank.operator.get(`/statements/${body.id}`)).body.counts, body.counts)
  }
  return bank.recorded()
}

const day = '2026-11-23'
const header = 'ID;Date;Amount;Payee;Payee account;Payer;Text'

onEngines('a debit that a table counts again waits, and one to another payee is new', async (service) => {
  const recorded = await bring(
    service,
    csv(header, `1;${day};+5.00;;;Anna;x`, `2;${day};-25.00;Shop;111222;;m`, `3;${day};-1.00;;;;fee`),
    csv(header, `1;${day};-25.00;Shop;111222;;m`, `2;${day};-25.00;Bert;333444;;n`, `3;${day};-1.00;;;;fee`),
  )
  assert.deepEqual(recorded, ['23 +5 A.', '23 -1', '23 -25', '23 -25', '23 ?-25'])
})

onOne('rows with a number of their own are the same, or wait, when they are counted again', async (service) => {
  const payment = '<Refs><EndToEndId>E2E-7</EndToEndId></Refs><RltdPties><Dbtr><Nm>Anna Berg</Nm></Dbtr></RltdPties>'
  const counted = (count: number): string =>
    entry(day, '25.00', `<AcctSvcrRef>${count}</AcctSvcrRef>${details(payment)}`)
  assert.deepEqual(await bring(service, camt('053', entry(day, '5.00'), counted(2)), camt('053', counted(1))), [
    '23 +25 A. B.',
    '23 +5',
    '23 ?+25 A. B.',
  ])
  const [first, again] = [1, 2].map((count) => `${day} -9.00 ${count} <CHECKNUM>78<NAME>Shop`)
  assert.deepEqual(await bring(service, ofx(`${day} 5.00 1`, again ?? ''), ofx(first ?? '')), ['23 +5', '23 -9'])
})

onOne('long references that are given again within a day lose and double no money', async (service) => {
  const row = (amount: string, place: number, name: string): string =>
    `${day} ${amount} 20261123000${place} <NAME>${name}<MEMO>of ${name}`
  // Credits: the file has both again under other references, after a new one.
  assert.deepEqual(
    await bring(
      service,
      ofx(row('25.00', 1, 'Anna Berg'), row('30.00', 2, 'Bert Cohn')),
      ofx(row('25.00', 1, 'Carl Dorn'), row('25.00', 2, 'Anna Berg'), row('30.00', 3, 'Bert Cohn')),
    ),
    ['23 +25 A. B.', '23 +30 B. C.', '23 ?+25 A. B.', '23 ?+25 C. D.', '23 ?+30 B. C.'],
  )
  assert.deepEqual(
    await bring(
      service,
      ofx(row('-25.00', 1, 'Anna Berg')),
      ofx(row('-25.00', 1, 'Bert Cohn'), row('-25.00', 2, 'Anna Berg')),
    ),
    ['23 -25', '23 -25', '23 ?-25'],
  )
})
