import { type FormatLimits, faultOfOrder, faultOfParty, limitsOf1c, limitsOfPain } from './order-faults.ts'
import { writeOrders1c } from './orders-1c.ts'
import { writeOrdersPain } from './orders-pain.ts'
import type { OrderParty, PaymentFormat, PaymentOrder, PaymentOrders } from './payment-order.ts'

type Format = { readonly limits: FormatLimits; readonly write: (orders: PaymentOrders) => Uint8Array<ArrayBuffer> }

const formats = {
  '1c': { limits: limitsOf1c, write: writeOrders1c },
  'pain.001': { limits: limitsOfPain, write: writeOrdersPain },
} as const satisfies Readonly<Record<PaymentFormat, Format>>

/** Why a format cannot have orders of an account; `undefined` if it can. */
export const checkPayer = (format: PaymentFormat, payer: OrderParty, currency: string): string | undefined =>
  faultOfParty(formats[format].limits, payer, currency)

/** Why a format cannot have an order; `undefined` if it can. */
export const checkPaymentOrder = (format: PaymentFormat, order: PaymentOrder, currency: string): string | undefined =>
  faultOfOrder(formats[format].limits, order, currency)

/**
 * A file of payment orders, to upload to a bank. The same orders give the same bytes. Throws a `TypeError` for what
 * `checkPayer` or `checkPaymentOrder` refuses.
 */
export const writePaymentOrders = (format: PaymentFormat, file: PaymentOrders): Uint8Array<ArrayBuffer> => {
  const { currency, payer, orders } = file
  const faults = [
    checkPayer(format, payer, currency),
    ...orders.map((order) => checkPaymentOrder(format, order, currency)),
  ]
  const fault = orders.length === 0 ? 'There are no orders.' : faults.find((each) => each !== undefined)
  if (fault !== undefined) throw new TypeError(fault)
  return formats[format].write(file)
}
