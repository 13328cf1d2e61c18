// The rules of alerts: quiet hours, what joins which message, and the words of a message.
import assert from 'node:assert/strict'
import { readTexts } from '../../src/settings/operator-texts.ts'
import { describe, test } from 'node:test'
import { type AlertNotice, composeAlert, describeSpan } from '../../src/rules/notices/alert-message.ts'
import { requisiteLimitFinding, inboxFindings } from '../../src/engine/attention/findings.ts'
import {
  alertRetryMs,
  compareFindings,
  isReminderDue,
  isZone,
  messageToJoin,
  noticeDueAt,
  quietEnd,
} from '../../src/rules/notices/alert.ts'
import { noRequisiteLimits, noUsage } from '../../src/rules/requisites/requisite.ts'
import { day, hour, minute } from '../../src/rules/time.ts'

const at = (text: string): number => Date.parse(`${text}Z`)

describe('quiet hours', () => {
  const night = { from: 22 * 60, to: 8 * 60, zone: 'Europe/Moscow' }
  const cases: readonly (readonly [now: string, end: string | null])[] = [
    ['2026-01-31T18:59:59', null],
    ['2026-01-31T19:00:00', '2026-02-01T05:00:00'],
    ['2026-02-01T04:59:30.123', '2026-02-01T05:00:00'],
    ['2026-02-01T05:00:00', null],
    ['2026-02-01T12:00:00', null],
  ]
  for (const [now, end] of cases) {
    test(`at ${now} they end at ${end}`, () => assert.equal(quietEnd(night, at(now)), end === null ? null : at(end)))
  }

  test('hours of one day do not contain the night', () => {
    const noon = { from: 12 * 60, to: 13 * 60, zone: 'UTC' }
    assert.equal(quietEnd(noon, at('2026-01-31T12:30:00')), at('2026-01-31T13:00:00'))
    assert.equal(quietEnd(noon, at('2026-01-31T23:30:00')), null)
  })

  test('they end at the same local hour when summer time begins or ends within them', () => {
    const berlin = { from: 22 * 60, to: 8 * 60, zone: 'Europe/Berlin' }
    assert.equal(quietEnd(berlin, at('2026-03-28T22:00:00')), at('2026-03-29T06:00:00'))
    assert.equal(quietEnd(berlin, at('2026-10-24T22:00:00')), at('2026-10-25T07:00:00'))
  })

  test('zones are known by their names', () => {
    assert.deepEqual(['Europe/Moscow', 'UTC', 'Mars/Base', ''].map(isZone), [true, true, false, false])
  })

  test('an urgent notice is due now, another one in a minute or when the quiet hours end', () => {
    const now = at('2026-01-31T20:00:00')
    assert.equal(noticeDueAt(night, true, now), now)
    assert.equal(noticeDueAt(null, false, now), now + minute)
    assert.equal(noticeDueAt(night, false, now), at('2026-02-01T05:00:00'))
  })
})

test('a notice joins the message of its channel that is sent in the same minute, or after the same quiet hours', () => {
  const soon = { id: 'soon', channelId: 'a', dueAt: 30 * 1000 }
  const later = { id: 'later', channelId: 'a', dueAt: 8 * hour }
  const other = { id: 'other', channelId: 'b', dueAt: 0 }
  const waiting = [other, later, soon]
  assert.equal(messageToJoin(waiting, 'a', 0, 0), soon)
  assert.equal(messageToJoin(waiting, 'a', minute, 0), soon)
  assert.equal(messageToJoin(waiting, 'a', 8 * hour, 0), later)
  assert.equal(messageToJoin([later], 'a', minute, 0), undefined)
  assert.equal(messageToJoin(waiting, 'c', 0, 0), undefined)
})

const incident = {
  id: 'i',
  rule: 'inbox-waiting',
  subject: 'transfer:1',
  summary: 'before',
  command: 'payin doctor',
  since: 0,
  openedAt: 0,
  closedAt: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  remindAt: 100,
} as const

test('what is found opens, goes on or is over', () => {
  const found = (subject: string) => ({ subject, summary: 'now', since: 5, command: 'payin doctor' })
  const over = { ...incident, id: 'over', subject: 'transfer:0' }
  const compared = compareFindings([incident, over], [found('transfer:1'), found('transfer:2'), found('transfer:2')])
  assert.deepEqual(compared.opened, [found('transfer:2')])
  assert.deepEqual(compared.closed, [over])
  assert.deepEqual(compared.kept, [{ ...incident, summary: 'now' }])
})

test('a reminder is due at its time, unless somebody knows', () => {
  assert.equal(isReminderDue(incident, hour, 99), false)
  assert.equal(isReminderDue(incident, hour, 100), true)
  assert.equal(isReminderDue({ ...incident, acknowledgedAt: 50 }, hour, 100), false)
  assert.equal(isReminderDue({ ...incident, remindAt: null }, hour, 100), false)
  // A clock that was ahead has planned it.
  assert.equal(isReminderDue({ ...incident, remindAt: 2 * hour }, hour, 100), true)
  assert.equal(isReminderDue({ ...incident, remindAt: hour + minute }, hour, 100), false)
})

test('a message is tried for three days, never less often than every quarter of an hour', () => {
  assert.equal(alertRetryMs(1, 0), 5000)
  assert.equal(alertRetryMs(5, 0), 15 * minute)
  assert.equal(alertRetryMs(200, 3 * day - 1), 15 * minute)
  assert.equal(alertRetryMs(200, 3 * day), null)
})

test('a limit counts from the percentage of the rule on, the fullest one first', () => {
  const limits = { ...noRequisiteLimits, dayAmount: 100_000_00n, monthCount: 10 }
  const requisite = { id: 'r', numberMasked: '•••• 1234', currency: 'rub', limits }
  const near = (dayAmount: bigint, monthCount: number) =>
    requisiteLimitFinding(requisite, { ...noUsage, dayAmount, monthCount }, 90, 7)
  assert.equal(near(89_999_99n, 8), undefined)
  const summary = 'The requisite •••• 1234 has used 90 % of a limit: 90000.00 rub of 100000.00 rub today.'
  assert.deepEqual(near(90_000_00n, 8), {
    subject: 'requisite:r',
    summary,
    since: 7,
    command: 'payin requisites health',
  })
  assert.match(near(90_000_00n, 10)?.summary ?? '', /100 % of a limit: 10 payments of 10 payments this month/)
})

test('the inbox is one incident with its count, sums and oldest money, and one more each time that it has grown', () => {
  const row = (minor: number, currency = 'rub') => ({
    ...{ since: at('2026-01-31T12:30:00'), amount: BigInt(minor), currency },
    ...{ senderMasked: '*******1122', numberMasked: '•••• 3344' },
  })
  const found = (rows: number) =>
    inboxFindings(Array.from({ length: rows }, (_, index) => row(1, index === 1 ? 'usd' : 'rub')))
  const summaries = (rows: number) => found(rows).map(({ subject, summary }) => [subject, summary])
  assert.deepEqual(found(0), [])
  assert.deepEqual(summaries(1), [['inbox', '0.01 rub from •••• 1122 to •••• 3344 waits in the inbox.']])
  const wait = (rows: number, rub: string) =>
    `${rows} transfers wait in the inbox, ${rub} rub, 0.01 usd together, the oldest since 2026-01-31 12:30 UTC.`
  assert.deepEqual(summaries(9), [['inbox', wait(9, '0.08')]])
  assert.deepEqual(summaries(10).slice(1), [['inbox:10', 'The inbox has grown to 10 transfers.']])
  assert.deepEqual(
    found(100).map(({ subject }) => subject),
    ['inbox', 'inbox:10', 'inbox:100'],
  )
  assert.match(found(500)[0]?.summary ?? '', /^500 transfers or more wait/)
})

describe('messages', () => {
  const notice: AlertNotice = {
    incidentId: 'i',
    rule: 'inbox-waiting',
    kind: 'opened',
    subject: 'inbox',
    summary: '5000.37 rub from •••• 1122 waits in the inbox.',
    since: at('2026-01-31T12:30:00'),
    command: 'payin transfers list --unmatched',
    at: at('2026-01-31T14:35:10'),
  }
  const compose = (...notices: AlertNotice[]) => composeAlert(notices, 'm-1', 'https://pay.example.com')

  test('one incident is named in the subject, with since when and the command that shows it', () => {
    assert.deepEqual(compose(notice), {
      subject: '[Payin] 5000.37 rub from •••• 1122 waits in the inbox.',
      text: [
        '5000.37 rub from •••• 1122 waits in the inbox.',
        'Since 2026-01-31 12:30 UTC (2 h 5 min). See: payin transfers list --unmatched',
        '',
        'Everything open: payin alerts, or https://pay.example.com/console/alerts',
        'Message m-1',
      ].join('\n'),
    })
  })

  test('several go as one, the new ones first, and what is over last', () => {
    const { subject, text } = compose({ ...notice, kind: 'closed' }, { ...notice, kind: 'reminder' }, notice)
    assert.equal(subject, '[Payin] 3 alerts: 2 open, 1 over')
    assert.match(
      text,
      /^5000\.37 rub[^]*\n\nSTILL: 5000\.37 rub[^]*\n\nOVER: 5000\.37 rub[^]*\nIt lasted from 2026-01-31 12:30 UTC to 2026-01-31 14:35 UTC\.\n/,
    )
    assert.equal(compose({ ...notice, kind: 'closed' }).subject, `[Payin] OVER: ${notice.summary}`)
  })

  test('a message is said in another language but for its commands and names', () => {
    const texts = readTexts('ru') ?? assert.fail()
    const { subject, text } = composeAlert(
      (['closed', 'reminder', 'opened'] as const).map((kind) => {
        return { ...notice, kind, summary: '5000.37 rub to Main phone waits in the inbox.' }
      }),
      ...(['m-1', 'https://pay.example.com', (each: string) => texts.sayLines(each)] as const),
    )
    assert.equal(subject, '[Payin] оповещения: 3: открыто: 2, закончилось: 1')
    assert.equal(
      text,
      [
        '5000.37 rub на Main phone ждёт в невыясненных.',
        'С 2026-01-31 12:30 UTC (2 ч 5 мин). Подробнее: payin transfers list --unmatched',
        '',
        'ДО СИХ ПОР: 5000.37 rub на Main phone ждёт в невыясненных.',
        'С 2026-01-31 12:30 UTC (2 ч 5 мин). Подробнее: payin transfers list --unmatched',
        '',
        'ЗАКОНЧИЛОСЬ: 5000.37 rub на Main phone ждёт в невыясненных.',
        'Длилось с 2026-01-31 12:30 UTC до 2026-01-31 14:35 UTC.',
        '',
        'Всё открытое: payin alerts или https://pay.example.com/console/alerts',
        'Сообщение m-1',
      ].join('\n'),
    )
  })

  test('a message of hundreds says how many it leaves out, and fits Telegram', () => {
    const { text } = compose(...Array.from({ length: 300 }, () => notice))
    assert.ok(text.length < 4096)
    assert.match(text, /\n\nAnd 27\d more\. See: payin alerts\n\n/)
    assert.ok(compose({ ...notice, summary: 'x'.repeat(9000) }).text.length < 4096)
  })

  test('spans are read by their two largest units', () => {
    const spans = [0, 999, 59_000, minute, 90 * minute, day, 3 * day + hour + minute].map(describeSpan)
    assert.deepEqual(spans, ['0 s', '0 s', '59 s', '1 min', '1 h 30 min', '1 d', '3 d 1 h'])
  })
})
