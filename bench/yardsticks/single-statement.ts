// The yardstick of latency: the least that can create a payment durably over HTTP, one prepared statement per request.
import { serveBare } from './bare-server.ts'
import { insertOnePayment } from './insert-one-payment.ts'

const text = insertOnePayment({
  merchantId: '$1',
  requisiteId: '$2',
  id: '$3',
  orderId: '$4',
  userId: '$5',
  amount: '$6',
  ratePrice: '$7',
  total: '$8',
})

await serveBare((pool) => async (row) => {
  const { rowCount } = await pool.query({ name: 'insert_one_payment', text, values: [...row] })
  return rowCount === 1
})
