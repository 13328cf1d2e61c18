// When the money of a message was booked, on which requisite, and whether its balance follows.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseRequisite, type KnownRequisite } from '../../src/rules/phones/choose-requisite.ts'
import { type EarlierMessage, judgeMessage } from '../../src/rules/phones/judge-message.ts'
import { readPrintedTime } from '../../src/rules/phones/printed-time.ts'
import { hour, minute } from '../../src/rules/time.ts'

const moscow = 3 * hour
const sent = Date.parse('2026-06-02T18:31:17+03:00')

describe('the time of a message', () => {
  const cases: readonly (readonly [printed: string | null, bookedAt: string, earliestAt?: string])[] = [
    [null, '2026-06-02T15:31:17.000Z'],
    // Within the printed minute, when it was sent.
    ['18:31', '2026-06-02T15:31:17.000Z'],
    ['18:20', '2026-06-02T15:20:59.999Z'],
    ['18:20:05', '2026-06-02T15:20:05.999Z'],
    // A clock that has not come yet is yesterday's.
    ['23:50', '2026-06-01T20:50:59.999Z'],
    ['18:33', '2026-06-02T15:33:00.000Z'],
    ['18:34', '2026-06-01T15:34:59.999Z'],
    ['02.06.26 18:30', '2026-06-02T15:30:59.999Z'],
    ['02.06.2026 18:30:01', '2026-06-02T15:30:01.999Z'],
    ['2026-06-01 09:00:00', '2026-06-01T06:00:00.999Z'],
    ['26-06-01 09:00:00', '2026-06-01T06:00:00.999Z'],
    ['09:00 01.06', '2026-06-01T06:00:59.999Z'],
    ['31/05, 09:00', '2026-05-31T06:00:59.999Z'],
    ['9 июня 18:30', '2026-06-02T15:30:59.999Z'],
    ['01.06.26', '2026-06-01T20:59:59.999Z', '2026-05-31T21:00:00.000Z'],
    ['02.06.26', '2026-06-02T15:31:17.000Z'],
    // No time of the last month.
    ['02.06.2019 18:30', '2026-06-02T15:30:59.999Z'],
    ['99:99', '2026-06-02T15:31:17.000Z'],
    ['45.45.2026', '2026-06-02T15:31:17.000Z'],
  ]
  for (const [printed, bookedAt, earliestAt] of cases)
    test(`${printed} is ${bookedAt}`, () => {
      const read = readPrintedTime(printed, moscow, sent)
      const textOf = (at: number | null | undefined) => at && new Date(at).toISOString()
      assert.deepEqual([textOf(read.bookedAt), textOf(read.earliestAt)], [bookedAt, earliestAt])
    })

  test('that says Moscow is in the zone of Moscow, whatever that of the account is', () => {
    const { bookedAt } = readPrintedTime('02.06.26 18:30 MSK', 5 * hour, sent)
    assert.equal(new Date(bookedAt).toISOString(), '2026-06-02T15:30:59.999Z')
  })
})

describe('the requisite of a message', () => {
  const known = (id: string, given: Partial<KnownRequisite> = {}): KnownRequisite => ({
    ...{ requisiteId: id, bookedOn: id, digits: [], sim: null, currency: 'rub', bankIssuer: 't-bank' },
    numbersMasked: [],
    ...given,
  })
  const said = { bank: 'tbank', account: null, currency: 'rub', sim: null }
  const card = known('card', { numbersMasked: ['•••• 4821'] })
  const phone = known('phone', { digits: ['4071'], bankIssuer: 'sberbank' })
  const cases: readonly (readonly [string, object, readonly KnownRequisite[], string | undefined])[] = [
    ['is the only one', {}, [known('one')], 'one'],
    ['is not certain of two', {}, [known('one'), known('two')], undefined],
    ['is that of the digits', { account: '*4071' }, [card, phone], 'phone'],
    ['is that of three digits', { account: '821' }, [card, phone], 'card'],
    ['is none if the digits are another account’s', { account: '•• 9999' }, [card], undefined],
    ['is the one without known digits', { account: '•• 9999' }, [card, known('new')], 'new'],
    ['is that of the SIM', { sim: '2' }, [known('one', { sim: '1' }), known('two', { sim: '2' })], 'two'],
    ['is none on another SIM', { sim: '3' }, [known('one', { sim: '1' })], undefined],
    ['is that of the bank', {}, [known('one'), known('two', { bankIssuer: 'vtb' })], 'one'],
    ['is none in another currency', { currency: 'usd' }, [known('one')], undefined],
    ['is the first of those that share its account', {}, [known('one'), known('two', { bookedOn: 'one' })], 'one'],
  ]
  for (const [title, more, all, expected] of cases)
    test(title, () => assert.equal(chooseRequisite({ ...said, ...more }, all)?.requisiteId, expected))
})

describe('a message', () => {
  let ids = 0
  const message = (kind: string, amount: number, balance: number | null, more: object = {}) => ({
    ...{ phoneId: 'phone', channel: 'sms' as const, kind, digits: null, bookedAt: sent, fee: 0n },
    amount: BigInt(amount),
    balance: balance === null ? null : BigInt(balance),
    ...more,
  })
  type Said = ReturnType<typeof message>
  /** What becomes of messages that come one after another; `checksBalance` is true. */
  const play = (...said: readonly Said[]) => {
    const earlier: (EarlierMessage & ReturnType<typeof judgeMessage>)[] = []
    for (const each of said) earlier.push({ ...each, ...judgeMessage(each, earlier, true), id: `${10 + ids++}` })
    return earlier
  }
  const states = (...said: readonly Said[]) => play(...said).map(({ state }) => state)

  test('whose balance follows credits; one that lost the message before it waits, and so does what builds on it', () => {
    const [first, lost, forged, after] = play(
      message('credit', 50, 150),
      message('credit', 10, 200),
      message('credit', 10, 210),
      message('debit', 30, 120),
    )
    assert.deepEqual([first?.state, first?.gap], ['recorded', null])
    assert.deepEqual([lost?.state, lost?.reason, lost?.gap], ['waiting', 'balance', 40n])
    assert.deepEqual([forged?.state, forged?.isDoubtful, forged?.gap], ['waiting', true, null])
    assert.deepEqual([after?.follows, after?.isDoubtful], [first?.id, false])
  })

  test('without a balance credits, and moves the balance that the next one follows', () =>
    assert.deepEqual(states(message('credit', 50, 150), message('credit', 10, null), message('credit', 5, 165)), [
      'recorded',
      'recorded',
      'recorded',
    ]))

  test('of a debit moves the balance with its fee, or not at all if the bank had held the money', () =>
    assert.deepEqual(
      play(
        message('credit', 50, 150),
        message('debit', 20, 129, { fee: 1n }),
        message('hold', 9, 120),
        message('debit', 9, 120),
        message('credit', 5, 125),
      ).map(({ gap }) => gap),
      [null, null, null, null, null],
    ))

  const push = { channel: 'push' as const }
  const later = { bookedAt: sent + 6 * minute }
  for (const [title, said, expected] of [
    ['by SMS and push is one', [message('credit', 50, 150), message('credit', 50, 150, push)], 'same'],
    ['by push without a balance is one', [message('credit', 50, 150), message('credit', 50, null, push)], 'same'],
    ['of two equal payments is two', [message('credit', 50, 150), message('credit', 50, 200)], 'recorded'],
    [
      'of two equal SMS without balances is two',
      [message('credit', 50, null), message('credit', 50, null)],
      'recorded',
    ],
    [
      'minutes later is another',
      [message('credit', 50, null), message('credit', 50, null, { ...push, ...later })],
      'recorded',
    ],
    [
      'of a second phone is one',
      [message('credit', 50, null), message('credit', 50, null, { phoneId: 'two' })],
      'same',
    ],
  ] as const)
    test(title, () => assert.equal(states(...said).at(-1), expected))

  test('after the money went out again is another payment of the same balance', () =>
    assert.deepEqual(states(message('credit', 50, 150), message('debit', 50, 100), message('credit', 50, 150)), [
      'recorded',
      'noted',
      'recorded',
    ]))

  test('by push pairs with one SMS only', () =>
    assert.deepEqual(
      states(
        message('credit', 50, 150),
        message('credit', 50, 200),
        message('credit', 50, null, push),
        message('credit', 50, null, push),
        message('credit', 50, null, push),
      ),
      ['recorded', 'recorded', 'same', 'same', 'recorded'],
    ))
})
