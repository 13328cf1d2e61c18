export type { ErrorCode, Events } from './api.ts'
export { type FieldError, PayinConnectionError, PayinError, PayinTimeoutError } from './errors.ts'
export {
  type CreatedPayment,
  type CreateLink,
  type CreatePayment,
  type CreateRefund,
  type ListedPayment,
  Payin,
  type PaymentLink,
  type PaymentStatus,
  type Refund,
  type RequestSettlement,
  type Settlement,
  type WaitOptions,
} from './payin.ts'
export type { CallOptions, Options } from './request.ts'
export * as webhooks from './webhooks.ts'
export { type Delivery, type Notification, WebhookError } from './webhooks.ts'
