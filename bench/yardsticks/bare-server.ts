import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'
import { v7 } from 'uuid'
import { parseSettings } from '../../src/settings/config.ts'
import { createVault } from '../../src/secrets/vault.ts'
import { insertTerms } from './insert-one-payment.ts'
import { createAnswer, createBody, type CreateBody, toAnswer } from './payment-wire.ts'

/** The fields of a payment to write, in the order of `OnePayment`. */
export type PaymentRow = readonly [
  merchantId: string,
  requisiteId: string,
  id: string,
  orderId: string,
  userId: string,
  amount: number,
  ratePrice: string,
  total: number,
]

/** Writes a payment; returns false if it exists already. */
export type WritePayment = (row: PaymentRow) => Promise<boolean>

/**
 * Serves the least that can create payments over HTTP, until SIGTERM: Fastify and pg; the token's hash, the rate and
 * the receiving accounts in memory; a schema for the body and no further checks. The caller decides how a payment is
 * written.
 */
export const serveBare = async (writer: (pool: pg.Pool) => WritePayment): Promise<void> => {
  const parsed = parseSettings(process.env)
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  const { settings } = parsed
  const vault = createVault(settings.encryptionKeys ?? [])
  const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 20 })
  const write = writer(pool)

  await pool.query(insertTerms)
  const tokens = await pool.query<{ hash: string; merchant_id: string }>('select hash, merchant_id from access_tokens')
  const merchants = new Map(tokens.rows.map((row) => [row.hash, row.merchant_id]))
  const found = await pool.query<{ id: string; bank_issuer: string; number_sealed: string }>('select * from requisites')
  const requisites = found.rows.map((row) => ({
    id: row.id,
    bankIssuer: row.bank_issuer,
    phone: vault.decrypt(row.number_sealed, { table: 'requisites', column: 'number_sealed', row: row.id }),
  }))
  const rates = await pool.query<{ price: string; created_at: Date }>('select * from rates order by created_at desc')
  const [rate] = rates.rows
  if (!rate) throw new Error('there is no rate')

  let next = 0
  const app = Fastify()
  app.post<{ Body: CreateBody }>(
    '/api/v1/merchant/payments',
    { schema: { body: createBody, response: { 201: createAnswer } } },
    async (request, reply) => {
      const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
      const merchantId = merchants.get(createHash('sha256').update(token).digest('hex'))
      if (merchantId === undefined) return reply.code(401).send()
      const requisite = requisites[next++ % requisites.length]
      if (!requisite) return reply.code(422).send()
      const { body } = request
      const minor = Math.round(body.amount * 100)
      const price = Number(rate.price) / 1e8
      const total = Math.floor((minor / 100 / price) * 1e6)
      const [id, userId] = [v7(), v7()]
      if (!(await write([merchantId, requisite.id, id, body.orderId, userId, minor, rate.price, total])))
        return reply.code(409).send()
      const checkoutUrl = `${settings.publicUrl}/${id}/payment-sbp`
      const expiredAt = new Date(Date.now() + 3_600_000)
      const rest = { price, rateCreatedAt: rate.created_at, total: total / 1e6, expiredAt, requisite, checkoutUrl }
      return reply.code(201).send(toAnswer(body, { id, userId, ...rest }))
    },
  )

  const address = await app.listen({ port: settings.port, host: settings.host, backlog: 4096 })
  process.once('SIGTERM', () => void app.close().then(() => pool.end()))
  console.log(`ready on ${address}`)
}
