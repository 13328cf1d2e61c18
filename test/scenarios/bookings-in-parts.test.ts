// Bookings that one file reports as a sum and another one in parts are booked once.
import assert from 'node:assert/strict'
import { openBank } from '../support/bank.ts'
import { assertProblem } from '../support/problem.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()

/** A camt message of one booking, reported as a sum or in parts. */
const bookingOf = (
  account: string,
  date: string,
  message: string,
  amounts: readonly number[],
  { reference = 'BOOKING-1', direction = 'CRDT' } = {},
) => {
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  const parts = amounts.map(
    (amount, index) =>
      `<TxDtls><Refs><AcctSvcrRef>${reference}P${index}</AcctSvcrRef></Refs><Amt Ccy="RUB">${amount}.00</Amt></TxDtls>`,
  )
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}.001.08"><Bk><Stmt>
<Acct><Id><Othr><Id>${account}</Id></Othr></Id></Acct><Ntry><Amt Ccy="RUB">${sum}.00</Amt><CdtDbtInd>${direction}</CdtDbtInd>
<Sts>BOOK</Sts><BookgDt><Dt>${date}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>
${message === 'camt.054' ? `<NtryDtls>${parts.join('')}</NtryDtls>` : ''}</Ntry></Stmt></Bk></Document>`
}

onOne('a booking that one file reports as a sum and another one in parts is booked once', async (service) => {
  for (const [first, second] of [
    ['camt.053', 'camt.054'],
    ['camt.054', 'camt.053'],
  ] as const) {
    for (const amounts of [[3, 4], [7]]) {
      const bank = await openBank(service)
      const send = async (message: string, reported = amounts) =>
        uploadFile(service, bookingOf(bank.account, bank.date, message, reported))
      const early = (await send(second)).body
      const brought = await bank.confirm((await send(first)).body.id)
      assert.equal(brought.counts.new, first === 'camt.053' ? 1 : amounts.length)
      // It was read before the other form came: it would count again.
      assertProblem(await bank.operator.call('POST', `/statements/${early.id}/confirm`), 409, 'invalid_state')
      assert.equal((await bank.operator.call('POST', `/statements/${early.id}/discard`)).status, 200)
      const again = await send(second)
      assert.deepEqual(
        [again.status, again.body.counts.new, again.body.counts.alreadyKnown],
        [201, 0, brought.counts.new],
      )
      await bank.confirm(again.body.id)
      assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 7)
      const wrong = await send(second, [4, 5])
      assertProblem(wrong, 422, 'statement_refused')
      assert.match(wrong.body.errors[0].message, /BOOKING-1 was reported before in another form/)
    }
  }
})

onEngines('a debit of many payments, reported as a sum and in parts, leaves the account once', async (service) => {
  for (const [first, second] of [
    ['camt.053', 'camt.054'],
    ['camt.054', 'camt.053'],
  ] as const) {
    for (const amounts of [[3, 4], [3, 3], [7]]) {
      const bank = await openBank(service)
      const send = async (message: string, direction: 'CRDT' | 'DBIT') =>
        (await uploadFile(service, bookingOf(bank.account, bank.date, message, amounts, { direction }))).body
      const early = await send(second, 'DBIT')
      const held = () => bank.balanceOf(`bank:${bank.requisiteId}`)
      const sum = amounts.reduce((total, amount) => total + amount, 0)
      await bank.confirm((await send(first, 'DBIT')).id)
      assert.equal(await held(), -sum)
      assertProblem(await bank.operator.call('POST', `/statements/${early.id}/confirm`), 409, 'invalid_state')
      await bank.operator.call('POST', `/statements/${early.id}/discard`)
      await bank.confirm((await send(second, 'DBIT')).id)
      assert.equal(await held(), -sum)
      // A credit under the same reference is another booking.
      await bank.confirm((await send(second, 'CRDT')).id)
      assert.equal(await held(), 0)
    }
  }
})

onEngines('a booking is not reported in another form while its statement is undone', async (service) => {
  const bank = await openBank(service)
  const send = async (message: string) =>
    (await uploadFile(service, bookingOf(bank.account, bank.date, message, [3, 4]))).body
  const [parts, sum] = [await send('camt.054'), await send('camt.053')]
  await bank.confirm(parts.id)
  assert.equal((await bank.operator.call('POST', `/statements/${parts.id}/withdraw`, { reason: 'x' })).status, 200)
  const refused = await bank.operator.call('POST', `/statements/${sum.id}/confirm`)
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /confirm again when it is withdrawn/)
  // What is read now is read in the form that was reported.
  const again = bookingOf(bank.account, bank.date, 'camt.053', [3, 4]).replace('<Bk>', '<Bk >')
  assert.equal((await uploadFile(service, again)).body.counts.alreadyKnown, 2)
  await service.runJobs()
  assert.equal((await bank.confirm(sum.id)).state, 'imported')
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 7)
})

onPostgres(
  'a booking that was reported in another form since its file was confirmed is not imported',
  async (service) => {
    const bank = await openBank(service)
    const send = async (message: string): Promise<string> =>
      (await uploadFile(service, bookingOf(bank.account, bank.date, message, [3, 4]))).body.id
    const [parts, sum] = [await send('camt.054'), await send('camt.053')]
    await bank.confirm(parts)
    // As a release confirmed it that did not look at what is being undone.
    await runSql(
      service,
      `update statements set state = 'importing', confirmed_by = 'x', confirmed_at = now() where id = '${sum}'`,
    )
    await service.runJobs()
    const { state, confirmedBy } = (await bank.operator.get(`/statements/${sum}`)).body
    assert.deepEqual([state, confirmedBy], ['ready', undefined])
    assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 7)
    assertProblem(await bank.operator.call('POST', `/statements/${sum}/confirm`), 409, 'invalid_state')
  },
)
