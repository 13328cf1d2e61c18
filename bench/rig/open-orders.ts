import type { Bench } from './open-bench.ts'
import type { Server } from './processes.ts'

/** A payment that waits for money, and the path of its payer's page. */
export type OpenOrder = { readonly orderId: string; readonly path: string }

/** Runs `work` for the numbers from 0 to `count - 1`, `width` at a time. */
export const inParallel = async (
  count: number,
  width: number,
  work: (index: number) => Promise<void>,
): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/** Calls an operation of the merchant API. */
export const callMerchantApi = async (
  { merchant }: Pick<Bench, 'merchant'>,
  server: Server,
  path: string,
  body: object,
): Promise<unknown> => {
  const answer = await fetch(`${server.url}/api/v1/merchant/payments${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${merchant.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

/** Creates `count` payments through the HTTP API, with the orderIds `open-0` to `open-<count - 1>`. */
export const openOrders = async (bench: Bench, server: Server, count: number): Promise<OpenOrder[]> => {
  const orders: OpenOrder[] = []
  await inParallel(count, 64, async (index) => {
    bench.signal.throwIfAborted()
    const amount = Number(`${100 + Math.floor(index / 80)}.${10 + (index % 80)}`)
    const orderId = `open-${index}`
    const request = { type: 'direct', amount, orderId, currency: 'rub', method: 'sbp', locale: 'en' }
    const { redirectUrl } = (await callMerchantApi(bench, server, '', request)) as { redirectUrl: string }
    orders[index] = { orderId, path: new URL(redirectUrl).pathname }
  })
  return orders
}
