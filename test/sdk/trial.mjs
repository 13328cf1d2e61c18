// What the SDK does on any platform: a payment is created, waited for and acknowledged, and notifications are verified.
import { Payin, PayinError, webhooks } from 'payin-sdk'

/**
 * @param {{ url: string, token: string, secret: string, body: string, headers: Record<string, string> }} given
 */
export const trial = async ({ url, token, secret, body, headers }) => {
  const payin = new Payin({ baseUrl: url, token })
  const orderId = `order №1/${Math.random()}`
  const order = { type: 'direct', method: 'sbp', currency: 'rub', orderId }
  const { payment } = await payin.payments.create({ ...order, amount: 5000.01 })
  const conflict = await payin.payments.create({ ...order, amount: 6000 }).catch((error) => error)
  const late = await new Payin({ baseUrl: url, token, retries: 0 }).payments
    .status(orderId, { wait: 5 }, { timeoutMs: 100 })
    .catch((error) => error.constructor.name)
  const waiting = payin.payments.waitFor(orderId, { timeoutMs: 30_000 })
  await payin.sandbox.simulate(orderId, { event: 'paid' })
  const { status } = await waiting
  const acknowledged = await payin.payments.ack(orderId, status)
  const listed = []
  for await (const each of payin.payments.list({ status: 'paid' })) listed.push(each.orderId)
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('enough')), 100)
  const ended = await payin.payments
    .waitFor(orderId, { until: ['reversed'], signal: stop.signal })
    .catch((error) => error.message)
  const verified = []
  for (const given of [body, new TextEncoder().encode(body), `${body} `])
    verified.push(
      await webhooks.verify({ body: given, headers: new Headers(headers), secret }).then(
        ({ type }) => type,
        (error) => error.name,
      ),
    )
  return {
    amount: payment.amount,
    conflict: conflict instanceof PayinError ? conflict.code : String(conflict),
    status,
    isAcknowledged: acknowledged.acknowledgedAt !== undefined && acknowledged.orderId === orderId,
    isListed: listed.includes(orderId),
    ended,
    late,
    verified,
  }
}
