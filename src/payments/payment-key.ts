/** Key under which the bus of changes tells of a payment. */
export const paymentKey = (payment: { readonly merchantId: string; readonly id: string }): string =>
  `payment:${payment.merchantId}:${payment.id}`
