// The limit of durable creates: a server that does nothing but write the same three rows for each payment of a set by
// one prepared statement, with the service's own coalescing.
import { coalesce } from 'payin-database'
import { type PaymentRow, serveBare } from './bare-server.ts'
import { insertManyPayments } from './insert-one-payment.ts'

const fields = 8

await serveBare((pool) => {
  const writeSet = async (_: object, set: readonly PaymentRow[]): Promise<boolean[]> => {
    const { rows } = await pool.query<[string]>({
      name: 'insert_many_payments',
      text: insertManyPayments,
      values: Array.from({ length: fields }, (_each, field) => set.map((row) => row[field])),
      rowMode: 'array',
    })
    const written = new Set(rows.map(([id]) => id))
    return set.map(([, , id]) => written.has(id))
  }
  const write = coalesce(writeSet, { name: 'bare', maxBatch: 500, maxWaiting: 5000, inHalves: true })
  const context = {}
  return (row) => write(context, row)
})
