// A phone that forwards what a bank writes.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { openOperator, type Operator } from './operator.ts'
import type { TestService } from './service.ts'
import { type Answer, send } from './shop.ts'

const moscow = 3 * 60 * 60 * 1000

let phones = 0

/** The hour and minute at which a bank writes now. */
export const printedNow = ({ clock }: TestService): string => new Date(clock.now + moscow).toISOString().slice(11, 16)

/** An SMS of Sberbank about money that came in. */
export const creditOf = (
  service: TestService,
  amount: number,
  balance: number | null,
  { digits = '4071', from = 'ИННА П.' } = {},
): string =>
  `СЧЁТ${digits} ${printedNow(service)} Перевод из Т-Банк +${amount}р от ${from}${balance === null ? '' : ` Баланс: ${balance}р`}`

/** Adds a phone for requisites; returns how it forwards messages. Another operator, if there is one, approves it. */
export const openPhone = async (
  service: TestService,
  requisiteIds: readonly string[],
  {
    app = 'other',
    operator = openOperator(service),
    isApproved = true,
    digits = ['4071'],
    ...settings
  }: {
    app?: string
    operator?: Pick<Operator, 'call' | 'get'>
    isApproved?: boolean
    digits?: string[]
    dailyLimit?: number
    balances?: 'checked' | 'ignored'
    silentMinutes?: number
  } = {},
) => {
  const name = `phone ${++phones}`
  const added = await operator.call('POST', '/phones', { name, app, requisiteIds, dailyLimit: 10_000, ...settings })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const { id, secret } = added.body as { id: string; secret: string }
  const [requisiteId] = requisiteIds
  if (digits.length > 0) await operator.call('PUT', `/phones/${id}/accounts`, { requisiteId, digits })
  const read = async () => (await operator.get('/phones')).body.phones.find((each: { id: string }) => each.id === id)
  const version: string | undefined = (await read()).unapproved?.version
  if (isApproved && version !== undefined) {
    const approved = await openOperator(service, 'boris').call('POST', `/phones/${id}/approve`, { version })
    assert.equal(approved.status, 200, JSON.stringify(approved.body))
  }
  const path = `/api/v1/phones/${id}`
  const post = (body: string, headers: Record<string, string> = {}, to = path): Promise<Answer> =>
    send(service, to, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  const forward = (fields: object): Promise<Answer> =>
    post(JSON.stringify(fields), { authorization: `Bearer ${secret}` })
  const signed = (fields: object, key = secret): Promise<Answer> => {
    const body = JSON.stringify(fields)
    const timestamp = String(Math.floor(service.clock.now / 1000))
    const signature = createHmac('sha256', key)
      .update(body + timestamp)
      .digest('hex')
    return post(body, { 'x-timestamp': timestamp, 'x-signature': signature })
  }
  const postForm = (fields: Record<string, string>, to = path): Promise<Answer> =>
    post(new URLSearchParams(fields).toString(), { 'content-type': 'application/x-www-form-urlencoded' }, to)
  /** Forwards an SMS of the bank 900 as the app of the phone does. */
  const inOwnForm = (text: string): Promise<Answer> => {
    const now = service.clock.now
    switch (app) {
      case 'smsgate': {
        const receivedAt = new Date(now).toISOString()
        const payload = { messageId: 'm', message: text, sender: '900', recipient: null, simNumber: 1, receivedAt }
        return signed({ deviceId: 'd', event: 'sms:received', id: `e-${now}`, webhookId: 'w', payload })
      }
      case 'sms-webhook': {
        const fields = { from: '900', text, sentStamp: `${now}`, receivedStamp: now, sim: 'undetected' }
        return post(JSON.stringify(fields), { 'payin-secret': secret })
      }
      case 'smsforwarder': {
        const timestamp = String(now)
        const sign = createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64')
        const content = ['900', text, 'SIM1', '2026-06-02 18:31:17', 'Phone A'].join('\n')
        return postForm({ from: '900', content, timestamp, sign: encodeURIComponent(sign) })
      }
      default:
        return postForm({ from: '900', text }, `${path}/${secret}`)
    }
  }
  return {
    ...{ id, name, secret, version, operator, path, post, forward, read, signed, inOwnForm },
    /** Forwards an SMS of a bank. */
    sms: async (text: string, fields: object = {}) => {
      const answer = await forward({ from: '900', text, sentStamp: service.clock.now, ...fields })
      assert.deepEqual([answer.status, answer.body], [200, { state: 'received' }])
    },
    /** Forwards a notification of a bank's app. */
    push: async (title: string, text: string, fields: object = {}) => {
      const answer = await forward({
        package: 'ru.sberbankmobile',
        title,
        text,
        timestamp: service.clock.now,
        ...fields,
      })
      assert.deepEqual([answer.status, answer.body], [200, { state: 'received' }])
    },
    messages: async () => (await operator.get(`/phone-messages?phoneId=${id}`)).body.messages,
    decide: (messageId: string, word: 'accept' | 'dismiss', body: object = {}) =>
      operator.call('POST', `/phone-messages/${messageId}/${word}`, body),
  }
}
