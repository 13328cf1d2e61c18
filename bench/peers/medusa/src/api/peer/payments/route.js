import { Modules } from '@medusajs/framework/utils'

/**
 * Creates a payment collection and its session with the system provider through the payment module, without the access
 * token, validation, workflow, cart and second request that the store API requires.
 */
export const POST = async (request, response) => {
  const { amount, currency_code } = request.body
  const payments = request.scope.resolve(Modules.PAYMENT)
  const collection = await payments.createPaymentCollections({ amount, currency_code })
  const session = await payments.createPaymentSession(collection.id, {
    provider_id: 'pp_system_default',
    amount,
    currency_code,
    data: {},
  })
  response.status(201).json({ payment_collection: { ...collection, payment_sessions: [session] } })
}
