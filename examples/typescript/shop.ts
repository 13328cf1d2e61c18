// A shop whose users top up a balance. A notification, a poll and a restart all lead to `settle`.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Payin, PayinError, WebhookError, webhooks } from 'payin-sdk'

const { PAYIN_URL = 'http://localhost:8080', PAYIN_TOKEN = '', PAYIN_SECRET = '', PORT = '3000' } = process.env
const { SHOP_DATA = 'shop.db', POLL_SECONDS = '10' } = process.env

const payin = new Payin({ baseUrl: PAYIN_URL, token: PAYIN_TOKEN })
const database = new DatabaseSync(SHOP_DATA)
database.exec(`create table if not exists topups (
  order_id text primary key, user_id text not null, credited integer not null default 0, done integer not null default 0)`)

/** Amounts in minor units, such as kopecks: their sums are exact. */
const minorUnits = (amount: number): number => Math.round(amount * 100)

/** Creates a payment. The order is stored first, so that it is found again whatever fails after that. */
const topUp = async (user: string, amount: number, currency: string) => {
  const orderId = randomUUID()
  database.prepare('insert into topups (order_id, user_id) values (?, ?)').run(orderId, user)
  const body = { type: 'direct', method: 'sbp', amount, currency, orderId, userId: user } as const
  const { redirectUrl } = await payin.payments.create(body)
  return { orderId, redirectUrl }
}

/** Reads a payment from Payin, credits the user, then acknowledges it. Doing it again changes nothing. */
const settle = async (orderId: string): Promise<void> => {
  if (database.prepare('select 1 from topups where order_id = ?').get(orderId) === undefined) return
  const { status, amount, finalAmount = amount } = await payin.payments.get(orderId)
  if (status !== 'paid' && status !== 'disput-paid') return
  // The credit of an order is set, not added: doing it twice has the effect of once.
  database.prepare('update topups set credited = ? where order_id = ?').run(minorUnits(finalAmount), orderId)
  await payin.payments.ack(orderId, status)
  database.prepare('update topups set done = 1 where order_id = ?').run(orderId)
}

/** Settles one order at a time: an old answer of Payin must not overwrite a newer one. */
let last: Promise<unknown> = Promise.resolve()
const settleInTurn = (orderId: string): Promise<void> => {
  const turn = last.then(() => settle(orderId))
  last = turn.catch(() => undefined)
  return turn
}

/** The fallback for lost notifications, and for what a crash interrupted. */
const poll = async (): Promise<void> => {
  for (const { order_id } of database.prepare('select order_id from topups where done = 0').all())
    await settleInTurn(String(order_id)).catch((error: unknown) => {
      if (!(error instanceof PayinError && error.code === 'payment_not_found')) console.error(String(error))
    })
  setTimeout(() => void poll(), Number(POLL_SECONDS) * 1000)
}

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Answers 2xx only after the user is credited: until then Payin sends the notification again. */
const takeNotification = async (request: IncomingMessage): Promise<number> => {
  const body = await read(request)
  const { data } = await webhooks.verify({ body, headers: request.headers, secret: PAYIN_SECRET })
  if ('orderId' in data) await settleInTurn(data.orderId)
  return 204
}

type Reply = { readonly status: number; readonly content?: object }

const answer = async (request: IncomingMessage): Promise<Reply> => {
  const [, place, user = ''] = (request.url ?? '').split('/')
  if (request.method === 'POST' && place === 'payin') return { status: await takeNotification(request) }
  if (request.method === 'POST' && place === 'topups') {
    const wanted = JSON.parse(String(await read(request))) as { user: string; amount: number; currency: string }
    return { status: 201, content: await topUp(wanted.user, wanted.amount, wanted.currency) }
  }
  if (request.method !== 'GET' || place !== 'users') return { status: 404 }
  const credits = database.prepare('select sum(credited) as balance from topups where user_id = ?')
  const { balance } = credits.get(decodeURIComponent(user)) as { balance: number | null }
  return { status: 200, content: { balance: (balance ?? 0) / 100 } }
}

createServer((request, response) => {
  const failed = (error: unknown): Reply => {
    if (error instanceof WebhookError) return { status: 400 }
    console.error(String(error))
    return { status: 500 }
  }
  void answer(request)
    .catch(failed)
    .then(({ status, content }) => {
      response
        .writeHead(status, content && { 'content-type': 'application/json' })
        .end(content && JSON.stringify(content))
    })
}).listen(Number(PORT), '127.0.0.1', () => console.log(`the shop is on http://localhost:${PORT}`))
void poll()
