// Alerts on their way to people: channels, quiet hours, digests, reminders, attempts that fail.
import assert from 'node:assert/strict'
import { query, text } from 'payin-database'
import { bringMessagesBack, testChannel } from '../../src/engine/alerts/messages/send-alerts.ts'
import { day, hour, minute, periodStarts, second } from '../../src/rules/time.ts'
import { verify } from '../support/receiver.ts'
import { openTestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { unknownId } from '../support/operator.ts'
import { type Alerted, botToken, gather, shareAlerted } from './open-alerts.ts'

const onAlerted = shareAlerted()
const inbox = ['inbox-waiting'] as const

let transfers = 0

/** Money that nobody asked for; returns its transfer. */
const payUnknown = async ({ service }: Alerted, shop: Shop): Promise<{ requisiteId: string; id: string }> => {
  const requisiteId = shop.requisiteIds[0] ?? ''
  const recorded = await payIn(service, { requisiteId, minor: 777_77n, reference: `alert-${++transfers}` })
  return { requisiteId, id: recorded?.id ?? '' }
}

const ignore = async ({ operator }: Alerted, { requisiteId, id }: { requisiteId: string; id: string }) => {
  const answer = await operator.call('POST', `/transfers/${requisiteId}/${id}/ignore`, { reason: 'ours' })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

/** Leaves nothing of the tests before in the inbox. */
const ignoreAll = async (alerted: Alerted): Promise<void> => {
  const { transfers: waiting } = (await alerted.operator.get('/transfers?unmatched=true')).body
  for (const transfer of waiting) await ignore(alerted, transfer)
}

onAlerted('money that waits reaches people through every channel once, and so does its end', inbox, async (alerted) => {
  const { operator, mail, bot, hook, pass, addMail } = alerted
  const mailId = await addMail({ to: ['anna@example.com', 'boris@example.com'] })
  const telegram = { kind: 'telegram', name: 'team', chatId: '-1001234567890', botToken }
  const teamId = (await operator.call('POST', '/alert-channels', telegram)).body.id
  const webhook = { kind: 'webhook', name: 'pager', url: `${hook.url}/alerts` }
  const { id: hookId, secret } = (await operator.call('POST', '/alert-channels', webhook)).body
  for (const id of [mailId, teamId, hookId]) {
    const test = await operator.call('POST', `/alert-channels/${id}/test`)
    assert.deepEqual(test.body, { id: test.body.id, delivered: true })
    assert.equal((await operator.lastAudit()).action, 'alert-channel.test')
  }
  assert.equal(hook.calls[0]?.type, 'alert.test')
  verify(secret, hook.calls[0] ?? assert.fail())
  assert.match(mail.mails[0]?.text ?? '', /^This is a test of the channel on call\./)

  const shop = await openShop(alerted.service)
  const transfer = await payUnknown(alerted, shop)
  await pass(59 * minute)
  assert.deepEqual(await alerted.open('inbox-waiting'), [])
  await pass(minute)
  const [incident] = await alerted.open('inbox-waiting')
  assert.match(incident?.summary ?? '', /^777\.77 rub to .+ waits in the inbox\.$/)
  assert.deepEqual([mail.mails.length, bot.calls.length, hook.calls.length], [1, 1, 1])
  await gather(alerted)
  await gather(alerted)
  assert.deepEqual([mail.mails.length, bot.calls.length, hook.calls.length], [2, 2, 2])
  const [, alert] = mail.mails
  assert.deepEqual(alert?.to, ['anna@example.com', 'boris@example.com'])
  assert.equal(alert.subject, `[Payin] ${incident?.summary}`)
  assert.match(alert.text, /\nSince \S+ \S+ UTC \(1 h\)\. See: payin transfers list --unmatched\n/)
  assert.ok(alert.text.endsWith(`Message ${alert.id}`))
  assert.equal(bot.calls[1]?.path, `/bot${botToken}/sendMessage`)
  const { chat_id: chatId, text: said } = JSON.parse(bot.calls[1]?.body ?? '{}')
  assert.equal(chatId, telegram.chatId)
  assert.ok(said.startsWith(incident?.summary))
  const { type, data } = hook.calls[1] ?? assert.fail()
  assert.equal(type, 'alert')
  assert.equal(data.id, hook.calls[1]?.id)
  assert.deepEqual(
    data.incidents.map((each: { id: string; kind: string; rule: string }) => [each.id, each.kind, each.rule]),
    [[incident?.id, 'opened', 'inbox-waiting']],
  )

  const { context } = alerted.service
  const ofRussian = await openTestService('embedded', { PAYIN_LANGUAGE: 'ru' })
  const inRussian = { ...context, say: ofRussian.context.say }
  await ofRussian.stop()
  assert.equal((await testChannel(inRussian, mailId)).error, null)
  assert.equal((await testChannel(inRussian, hookId)).error, null)
  assert.match(mail.mails.pop()?.text ?? '', /^Это проверка канала on call\. /)
  assert.match(hook.calls.pop()?.data.text, /^This is a test of the channel /)

  await ignore(alerted, transfer)
  await gather(alerted)
  await gather(alerted)
  assert.deepEqual(await alerted.open('inbox-waiting'), [])
  assert.deepEqual([mail.mails.length, bot.calls.length, hook.calls.length], [3, 3, 3])
  assert.equal(mail.mails[2]?.subject, `[Payin] OVER: ${incident?.summary}`)
  assert.equal(hook.calls[2]?.data.incidents[0].kind, 'closed')
  await pass(2 * day)
  assert.equal(mail.mails.length, 3)
})

/** Money that a merchant does not acknowledge; returns how it does. */
const leaveUnread = async ({ service }: Alerted): Promise<() => Promise<unknown>> => {
  const shop = await openShop(service)
  const { body } = await shop.create('unread')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: `unread-${++transfers}` })
  return () => shop.post('/payments/byOrderId/ack', { orderId: 'unread' })
}

onAlerted(
  'several incidents within a minute go as one message; at night only urgent ones are sent',
  ['acknowledgement-overdue'],
  async (alerted) => {
    const { service, operator, mail, pass, addMail } = alerted
    const today = periodStarts(service.clock.now, 0).day + day
    service.clock.now = today + 20.5 * hour
    await addMail({ quietHours: { from: 23 * 60, to: 8 * 60, zone: 'UTC' } })
    await leaveUnread(alerted)
    service.clock.advance(20 * second)
    await leaveUnread(alerted)
    await pass(hour)
    await gather(alerted)
    await gather(alerted)
    assert.deepEqual(
      mail.mails.map(({ subject }) => subject),
      ['[Payin] 2 alerts: 2 open'],
    )

    service.clock.now = today + 23.5 * hour
    const read = await leaveUnread(alerted)
    await pass(hour)
    await leaveUnread(alerted)
    await pass(hour)
    await read()
    await gather(alerted)
    await gather(alerted)
    assert.equal(mail.mails.length, 1)
    const urgent = await operator.call('PATCH', '/alert-rules/acknowledgement-overdue', { urgent: true })
    assert.equal(urgent.body.urgent, true)
    await leaveUnread(alerted)
    await pass(hour)
    assert.equal(mail.mails.length, 2)
    assert.match(mail.mails[1]?.subject ?? '', /has not acknowledged/)
    service.clock.now = today + 32 * hour - second
    await pass(0)
    assert.equal(mail.mails.length, 2)
    await pass(second)
    assert.equal(mail.mails.length, 3)
    assert.equal(mail.mails[2]?.subject, '[Payin] 3 alerts: 2 open, 1 over')
  },
)

onAlerted('a message that a clock that was a day ahead tries again holds up no others', inbox, async (alerted) => {
  const { service, mail, pass, addMail } = alerted
  await ignoreAll(alerted)
  const shop = await openShop(service)
  await addMail()
  mail.answer = '451 later'
  const right = service.clock.now
  service.clock.now += day
  const transfer = await payUnknown(alerted, shop)
  await pass(hour)
  await gather(alerted)
  service.clock.now = right
  mail.answer = '250 taken'
  mail.mails.length = 0
  await ignore(alerted, transfer)
  await gather(alerted)
  assert.equal(mail.mails.length, 0)
  await bringMessagesBack(service.context)
  await gather(alerted)
  const [opened, over] = mail.mails.map(({ subject }) => subject)
  assert.match(opened ?? '', /^.Payin. 777.77 rub/)
  assert.match(over ?? '', /^.Payin. OVER: 777.77 rub/)
  // The tests after it sort by time.
  service.clock.now = right + 2 * day
})

onAlerted(
  'what is still open is reported again, unless somebody knows of it or wants quiet',
  inbox,
  async (alerted) => {
    const { service, operator, mail, pass, addMail } = alerted
    await ignoreAll(alerted)
    const shop = await openShop(service)
    await addMail()
    const rule = await operator.call('PATCH', '/alert-rules/inbox-waiting', { remindAfterMs: 2 * hour, urgent: true })
    assert.equal(rule.body.remindAfterMs, 2 * hour)
    await payUnknown(alerted, shop)
    await pass(hour)
    const [incident] = await alerted.open('inbox-waiting')
    const sent = () => mail.mails.map(({ subject }) => subject.replace(incident?.summary ?? '', '…'))
    assert.deepEqual(sent(), ['[Payin] …'])
    await pass(2 * hour - minute)
    assert.equal(mail.mails.length, 1)
    await pass(minute)
    assert.deepEqual(sent(), ['[Payin] …', '[Payin] STILL: …'])

    const known = await operator.call('POST', `/alerts/${incident?.id}/acknowledge`)
    assert.equal(known.body.acknowledgedBy, 'operator:operator')
    await pass(day)
    assert.equal(mail.mails.length, 2)
    assert.equal((await operator.call('POST', `/alerts/${unknownId}/acknowledge`)).body.code, 'resource_not_found')

    const off = await operator.call('PATCH', '/alert-rules/inbox-waiting', { enabled: false })
    assert.equal(off.body.enabled, false)
    assert.deepEqual(await alerted.open('inbox-waiting'), [])
    assert.equal((await operator.call('POST', `/alerts/${incident?.id}/acknowledge`)).body.code, 'invalid_state')
    await pass(hour)
    assert.equal(mail.mails.length, 2)
    const { incidents } = (await operator.get('/alerts?open=false&rule=inbox-waiting')).body
    assert.equal(incidents[0].id, incident?.id)
  },
)

onAlerted('a message that is not taken is sent again under its id, before those after it', inbox, async (alerted) => {
  const { service, operator, mail, pass, addMail } = alerted
  await ignoreAll(alerted)
  const shop = await openShop(service)
  const id = await addMail()
  await operator.call('PATCH', '/alert-rules/inbox-waiting', { urgent: true })
  mail.answer = '451 try later'
  const transfer = await payUnknown(alerted, shop)
  await pass(hour)
  assert.equal(mail.mails.length, 1)
  const channelOf = async () => (await operator.get('/alert-channels')).body.channels[0]
  assert.match((await channelOf()).lastError, /451/)
  assert.ok((await channelOf()).failingSince)
  await ignore(alerted, transfer)
  await pass(4 * second)
  assert.equal(mail.mails.length, 1)
  mail.answer = '250 taken'
  await pass(second)
  assert.deepEqual([mail.mails.length, new Set(mail.mails.map((each) => each.id)).size], [2, 1])
  assert.equal((await channelOf()).failingSince, undefined)
  await gather(alerted)
  await gather(alerted)
  assert.match(mail.mails[2]?.subject ?? '', /OVER/)

  mail.answer = '554 never'
  const refused = await operator.call('POST', `/alert-channels/${id}/test`)
  assert.equal(refused.body.delivered, false)
  assert.match(refused.body.error, /554/)
  await payUnknown(alerted, shop)
  await pass(hour)
  const tried = mail.mails.length
  await operator.call('PATCH', `/alert-channels/${id}`, { enabled: false })
  mail.answer = '250 taken'
  await pass(day)
  assert.equal(mail.mails.length, tried)
})

const listSealed = query('test_list_sealed_channels', {
  row: { kind: text, secret: text },
  text: `select kind, coalesce(secret_sealed, '') as secret from alert_channels where removed_at is null order by kind`,
})

onAlerted('channels are checked, their secrets are sealed and never shown', inbox, async (alerted) => {
  const { service, operator, addMail } = alerted
  const add = (fields: object) => operator.call('POST', '/alert-channels', { name: 'another', ...fields })
  await addMail()
  const telegram = { kind: 'telegram', chatId: '@team_alerts', botToken }
  const wrong: readonly (readonly [object, string, RegExp])[] = [
    [{ kind: 'email' }, 'validation_failed', /to is required/],
    [{ kind: 'email', to: ['not an address'] }, 'validation_failed', /e-mail address/],
    [{ kind: 'email', to: ['a\u0000@example.com'] }, 'validation_failed', /e-mail address/],
    [{ kind: 'email', to: ['a@example.com\u202e'] }, 'validation_failed', /e-mail address/],
    [{ kind: 'email', to: ['others:a@example.com'] }, 'validation_failed', /e-mail address/],
    [{ kind: 'email', to: ['a(b)@example.com'] }, 'validation_failed', /e-mail address/],
    [{ kind: 'email', to: ['a@example.com'], url: 'https://example.com' }, 'validation_failed', /url is for webhooks/],
    [{ kind: 'email', to: ['a@example.com'], botToken }, 'validation_failed', /botToken is for Telegram/],
    [{ kind: 'email', name: 'on call', to: ['a@example.com'] }, 'already_exists', /on call/],
    [{ kind: 'telegram', chatId: '1' }, 'validation_failed', /botToken is required/],
    [{ kind: 'telegram', chatId: '1/../..', botToken }, 'validation_failed', /@ and a name/],
    [{ kind: 'telegram', chatId: '1', botToken: '1/2' }, 'validation_failed', /token/],
    [{ kind: 'webhook', url: 'https://10.0.0.1/' }, 'validation_failed', /public internet/],
    [{ kind: 'webhook', url: 'http://example.com/' }, 'validation_failed', /https/],
    [{ kind: 'webhook', url: 'https://169.254.169.254/latest' }, 'validation_failed', /public internet/],
    [{ ...telegram, quietHours: { from: 0, to: 60, zone: 'Mars/Base' } }, 'validation_failed', /time zone/],
    [{ ...telegram, quietHours: { from: 60, to: 60, zone: 'UTC' } }, 'validation_failed', /differ/],
  ]
  for (const [fields, code, message] of wrong) {
    const { body } = await add(fields)
    assert.equal(body.code, code, JSON.stringify({ fields, body }))
    assert.match(JSON.stringify(body), message)
  }
  const { body: added } = await add(telegram)
  const { details } = await operator.lastAudit()
  const { body: pager } = await add({ kind: 'webhook', name: 'pager', url: 'https://example.com/a' })
  assert.match(pager.secret, /^whsec_/)
  const renamed = await operator.call('PATCH', `/alert-channels/${added.id}`, { name: 'team', quietHours: null })
  assert.equal(renamed.body.name, 'team')
  const { channels } = (await operator.get('/alert-channels')).body
  const shown = JSON.stringify([channels, details, added, renamed.body])
  assert.ok(!shown.includes(botToken) && !shown.includes(pager.secret) && !shown.includes('ealed'), shown)
  const sealed = await service.context.query(listSealed, {})
  assert.deepEqual(
    sealed.map(({ kind, secret }) => [kind, secret.slice(0, 6)]),
    [
      ['email', ''],
      ['telegram', 'v1.k1.'],
      ['webhook', 'v1.k1.'],
    ],
  )
  const twins = await Promise.all([1, 2, 3, 4].map(() => add({ ...telegram, name: 'twin' })))
  assert.deepEqual(
    twins.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409],
  )
  const rule = { channelIds: [added.id] }
  assert.deepEqual((await operator.call('PATCH', '/alert-rules/rate-stale', rule)).body.channelIds, [added.id])
  const unknown = await operator.call('PATCH', '/alert-rules/rate-stale', { channelIds: [unknownId] })
  assert.equal(unknown.body.code, 'resource_not_found')
  for (const [name, threshold] of [
    ['requisite-paused', minute],
    ['requisite-limit', 101],
    ['rate-stale', 1000],
  ]) {
    const refused = await operator.call('PATCH', `/alert-rules/${name}`, { threshold })
    assert.equal(refused.body.code, 'validation_failed', String(name))
  }
  assert.deepEqual((await operator.call('DELETE', `/alert-channels/${added.id}`)).body, { id: added.id })
  assert.equal((await operator.call('DELETE', `/alert-channels/${added.id}`)).status, 404)
  assert.equal((await operator.call('POST', `/alert-channels/${added.id}/test`)).status, 404)
})
