// The yardstick of throughput: a create as most teams would write it, with one transaction of separate, readable
// statements per request: who calls, are they allowed to, what is the rate, does the order exist, which account is
// free; then slot, payment and event. Schema, PostgreSQL, request and answer are the same.
import { createHash, randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'
import { v7 } from 'uuid'
import { parseSettings } from '../../src/settings/config.ts'
import { createVault } from '../../src/secrets/vault.ts'
import { createAnswer, createBody, type CreateBody, type Created, toAnswer } from './payment-wire.ts'

const parsed = parseSettings(process.env)
if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
const { settings } = parsed
const vault = createVault(settings.encryptionKeys ?? [])
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 20 })

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Row = Record<string, string>

const one = async (client: pg.PoolClient, status: number, sql: string, values: unknown[]): Promise<Row> => {
  const { rows } = await client.query<Row>(sql, values)
  if (!rows[0]) throw new Refused(status, `nothing found by: ${sql}`)
  return rows[0]
}

const authenticate = async (client: pg.PoolClient, token: string): Promise<Row> => {
  const hash = createHash('sha256').update(token).digest('hex')
  const found = await one(client, 401, 'select merchant_id from access_tokens where hash = $1 and revoked_at is null', [
    hash,
  ])
  return one(client, 403, `select * from merchants where id = $1 and status = 'active'`, [found['merchant_id']])
}

const checkLimits = async (client: pg.PoolClient, merchantId: unknown, body: CreateBody): Promise<void> => {
  const limits = await one(
    client,
    400,
    `select min_amount, max_amount from currency_limits
      where currency = $2 and merchant_id in ($1, '00000000-0000-0000-0000-000000000000')
      order by merchant_id desc limit 1`,
    [merchantId, body.currency],
  )
  const minor = Math.round(body.amount * 100)
  if (minor < Number(limits['min_amount']) || minor > Number(limits['max_amount'])) throw new Refused(400, 'amount')
}

const pickRequisite = (client: pg.PoolClient, merchantId: unknown, body: CreateBody, minor: number): Promise<Row> =>
  one(
    client,
    422,
    `select * from requisites where merchant_id = $1 and status = 'active' and method = $2 and currency = $3
      and not exists (select from slots where requisite_id = requisites.id and amount = $4 and held_until > now())
      limit 1`,
    [merchantId, body.method, body.currency, minor],
  )

const insertPayment = async (client: pg.PoolClient, merchantId: unknown, body: CreateBody): Promise<Created> => {
  const rate = await one(client, 422, 'select * from rates where currency = $1 order by created_at desc limit 1', [
    body.currency,
  ])
  const order = [merchantId, body.orderId]
  const existing = await client.query('select id from payments where merchant_id = $1 and order_id = $2', order)
  if (existing.rows.length > 0) throw new Refused(409, 'the order exists')
  const minor = Math.round(body.amount * 100)
  const requisite = await pickRequisite(client, merchantId, body, minor)
  const requisiteId = requisite['id'] ?? ''
  const price = Number(rate['price']) / 1e8
  const total = Math.floor((minor / 100 / price) * 1e6)
  const [id, userId, now] = [v7(), randomUUID(), new Date()]
  const expiredAt = new Date(now.getTime() + 3_600_000)
  const heldUntil = new Date(now.getTime() + 25 * 3_600_000)
  await client.query(
    `insert into slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
      values ($1, $2, $3, $4, $5, $6)`,
    [requisiteId, minor, merchantId, id, now, heldUntil],
  )
  const terms = { timeToPayMs: 3_600_000, graceMs: 900_000, lateWindowMs: 86_400_000, feePpm: 15_000 }
  await client.query(
    `insert into payments (merchant_id, id, order_id, type, method, sbp_enabled, user_id, user_id_given, currency, amount,
        rate_price, rate_created_at, total, status, status_reason, sequence, received, requisite_id, requisite_shown,
        source_pan, terms, created_at, expired_at, due_at, changed_at)
      values ($1, $2, $3, $4, $5, false, $6, false, $7, $8, $9, $10, $11, 'new', 'created', 1, 0, $12, true, '', $13, $14,
        $15, $15, $14)`,
    [
      ...[merchantId, id, body.orderId, body.type, body.method, userId, body.currency, minor, rate['price']],
      ...[rate['created_at'], total, requisiteId, terms, now, expiredAt],
    ],
  )
  await client.query(
    `insert into payment_events (merchant_id, payment_id, sequence, status, status_reason, trigger, actor, at)
      values ($1, $2, 1, 'new', 'created', 'created', 'merchant', $3)`,
    [merchantId, id, now],
  )
  const place = { table: 'requisites', column: 'number_sealed', row: requisiteId }
  const phone = vault.decrypt(requisite['number_sealed'] ?? '', place)
  const rateCreatedAt = new Date(rate['created_at'] ?? '')
  const checkoutUrl = `${settings.publicUrl}/${id}/payment-sbp`
  const shown = { id: requisiteId, phone, bankIssuer: requisite['bank_issuer'] ?? '' }
  return { id, userId, price, rateCreatedAt, total: total / 1e6, expiredAt, requisite: shown, checkoutUrl }
}

const createPayment = async (token: string, body: CreateBody): Promise<Created> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const merchant = await authenticate(client, token)
    await checkLimits(client, merchant['id'], body)
    const created = await insertPayment(client, merchant['id'], body)
    await client.query('commit')
    return created
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

const app = Fastify()
app.setErrorHandler((error, _request, reply) => {
  const message = error instanceof Error ? error.message : String(error)
  return reply.code(error instanceof Refused ? error.status : 500).send({ message })
})
app.post<{ Body: CreateBody }>(
  '/api/v1/merchant/payments',
  { schema: { body: createBody, response: { 201: createAnswer } } },
  async (request, reply) => {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
    return reply.code(201).send(toAnswer(request.body, await createPayment(token, request.body)))
  },
)

const address = await app.listen({ port: settings.port, host: settings.host })
process.once('SIGTERM', () => void app.close().then(() => pool.end()))
console.log(`ready on ${address}`)
