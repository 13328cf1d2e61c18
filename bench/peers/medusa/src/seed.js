import { Modules } from '@medusajs/framework/utils'
import {
  createApiKeysWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  linkSalesChannelsToApiKeyWorkflow,
} from '@medusajs/medusa/core-flows'

const batch = 500

/** Calls `create` with the numbers from 1 to `count`, a few at a time. */
const inBatches = async (count, create) => {
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  for (let from = 0; from < count; from += batch) await create(numbers.slice(from, from + batch))
}

/** Creates a shop for payments: a region with the system provider, a sales channel, and a key of the store API. */
const openShop = async (container) => {
  const regions = [
    { name: 'Europe', currency_code: 'eur', countries: ['de'], payment_providers: ['pp_system_default'] },
  ]
  const {
    result: [region],
  } = await createRegionsWorkflow(container).run({ input: { regions } })
  const salesChannelsData = [{ name: 'Shop' }]
  const {
    result: [channel],
  } = await createSalesChannelsWorkflow(container).run({ input: { salesChannelsData } })
  const api_keys = [{ title: 'Shop', type: 'publishable', created_by: '' }]
  const {
    result: [key],
  } = await createApiKeysWorkflow(container).run({ input: { api_keys } })
  await linkSalesChannelsToApiKeyWorkflow(container).run({ input: { id: key.id, add: [channel.id] } })
  return { key: key.token, region_id: region.id, sales_channel_id: channel.id }
}

/**
 * `medusa exec ./src/seed.js <payments> <carts>`: creates payment collections `payment-1`, `payment-2`, … to read and
 * carts `cart-1`, `cart-2`, … to pay for, in a shop whose key it prints.
 */
export default async function seed({ container, args: [paymentCount, cartCount] }) {
  const { key, region_id, sales_channel_id } = await openShop(container)
  const price = { amount: 1000, currency_code: 'eur' }
  const payments = container.resolve(Modules.PAYMENT)
  await inBatches(Number(paymentCount), (numbers) =>
    payments.createPaymentCollections(
      numbers.map((number) => ({
        id: `payment-${number}`,
        ...price,
        payment_sessions: [{ ...price, provider_id: 'pp_system_default', data: {} }],
      })),
    ),
  )
  const carts = container.resolve(Modules.CART)
  const items = [{ title: 'Top-up', quantity: 1, unit_price: price.amount }]
  await inBatches(Number(cartCount), (numbers) =>
    carts.createCarts(
      numbers.map((number) => ({ id: `cart-${number}`, currency_code: 'eur', region_id, sales_channel_id, items })),
    ),
  )
  console.log(`SEEDED ${JSON.stringify({ key })}`)
}
