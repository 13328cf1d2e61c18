// A 1C file of several days that does not say on which of them its money arrived.
import assert from 'node:assert/strict'
import { openBank } from '../support/bank.ts'
import { assertHealthy } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { exchangeOf, type Made } from '../support/statement-files.ts'

const { onEngines } = shareEngines()

const dayBefore = (date: string): string => new Date(Date.parse(date) - 24 * 3_600_000).toISOString().slice(0, 10)
const dotted = (date: string): string => date.split('-').toReversed().join('.')

onEngines('money of an unknown day waits, and is recognised when a file says its day', async (service) => {
  const bank = await openBank(service)
  const twoDays = (made: Made): string =>
    exchangeOf({ ...made, closedOn: bank.date }).replace('=01.01.2026', `=${dotted(dayBefore(bank.date))}`)
  const withoutDay = (made: Made): string => twoDays(made).replace(/ДатаПоступило=.*\r\n/, '')
  const row = { minor: 99_999_00n, payer: 'Иванов Иван', text: 'Оплата', date: dayBefore(bank.date) }

  const { counts } = await bank.bring(withoutDay, [row])
  assert.equal(counts.new, 1)
  const [waiting] = await bank.inbox()
  assert.match(
    waiting?.reasons.join('; ') ?? '',
    /does not say on which day .*last day of its period .*; without that:/,
  )
  assert.equal(await bank.shop.status('waits'), 'new')

  const { counts: again } = await bank.bring(twoDays, [row])
  assert.deepEqual([again.new, again.possibleDuplicates], [1, 1])
  assert.equal((await bank.inbox()).find(({ duplicateOf }) => duplicateOf !== undefined)?.duplicateOf, waiting?.id)
  assert.equal(await bank.shop.status('waits'), 'new')
  await assertHealthy(service)
})
