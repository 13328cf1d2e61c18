/** The key of a payment on the bus of changes. */
export const paymentKey = (payment: { readonly merchantId: string; readonly id: string }): string =>
  `payment:${payment.merchantId}:${payment.id}`
