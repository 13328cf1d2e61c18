// Signatures of Standard Webhooks, judged by a library that is not ours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { signWebhook } from '../../src/gateways/sign-webhook.ts'
import { newWebhookSecret, webhookKey } from '../../src/secrets/webhook-secret.ts'

const count = 10_000

const headersOf = (id: string, timestamp: number, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
})

const accepts = (verifier: Webhook, body: string, headers: Record<string, string>): boolean => {
  try {
    verifier.verify(body, headers)
    return true
  } catch {
    return false
  }
}

test(`an independent library verifies ${count} messages, and none of as many with one bit changed`, () => {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const message = fc.record({ id: fc.uuid(), order: fc.string({ unit: 'binary', maxLength: 128 }), pick: fc.nat() })
  const timestamp = Math.floor(Date.now() / 1000)
  let refused = 0
  for (const { id, order, pick } of fc.sample(message, { numRuns: count, seed })) {
    const secret = newWebhookSecret()
    const verifier = new Webhook(secret)
    const body = JSON.stringify({ type: 'payment.paid', data: { orderId: order.toWellFormed() } })
    const headers = headersOf(id, timestamp, signWebhook([webhookKey(secret)], id, timestamp, body))
    assert.ok(accepts(verifier, body, headers), `seed ${seed}: not verified: ${body}`)
    // One bit of the body, the id, the time or the signature itself; the prefix v1, names the method only.
    const parts = [body, id, String(timestamp), headers['webhook-signature'].slice('v1,'.length, -1)]
    const changed = parts.map((part, index) => {
      if (index !== pick % parts.length) return part
      const bytes = Buffer.from(part, 'utf8')
      const bit = Math.floor(pick / parts.length) % (bytes.length * 8)
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      return bytes.toString(index === 0 ? 'utf8' : 'latin1')
    })
    const [otherBody = '', otherId = '', otherTime = '', otherSignature = ''] = changed
    const forged = {
      'webhook-id': otherId,
      'webhook-timestamp': otherTime,
      'webhook-signature': `v1,${otherSignature}=`,
    }
    if (!accepts(verifier, otherBody, forged)) refused++
  }
  assert.equal(refused, count, `seed ${seed}`)
})

test('while a secret is replaced both verify, and neither alone says anything of the other', () => {
  const [present, previous, stranger] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = headersOf(
    'event',
    timestamp,
    signWebhook([present, previous].map(webhookKey), 'event', timestamp, '{}'),
  )
  assert.deepEqual(
    [present, previous, stranger].map((secret) => accepts(new Webhook(secret), '{}', headers)),
    [true, true, false],
  )
})
