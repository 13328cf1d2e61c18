/** The body of a create, checked as a team that knows Fastify would. */
export const createBody = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'amount', 'orderId', 'currency', 'method'],
  properties: {
    type: { enum: ['direct', 'staged'] },
    amount: { type: 'number', exclusiveMinimum: 0 },
    orderId: { type: 'string', minLength: 1, maxLength: 128 },
    currency: { type: 'string', pattern: '^[a-z]{3}$' },
    method: { enum: ['card-to-card', 'sbp', 'account-to-account', 'by-phone'] },
  },
} as const

/** A body that has passed `createBody`. */
export type CreateBody = {
  readonly type: string
  readonly amount: number
  readonly orderId: string
  readonly currency: string
  readonly method: string
}

const text = { type: 'string' }
const number = { type: 'number' }
const object = (properties: object) => ({ type: 'object', properties })

/** The answer to a create, in the same form as the service's. */
export const createAnswer = object({
  payment: object({
    id: text,
    rate: object({ USDT: object({ price: number, createdAt: text }) }),
    orderId: text,
    userId: text,
    status: text,
    amount: number,
    sourcePan: text,
    currency: text,
    total: object({ currency: text, amount: number }),
    expiredAt: text,
  }),
  card: object({ id: text, phone: text, bankIssuer: text }),
  redirectUrl: text,
})

/** What an answer says about a new payment. */
export type Created = {
  readonly id: string
  readonly userId: string
  readonly price: number
  readonly rateCreatedAt: Date
  readonly total: number
  readonly expiredAt: Date
  readonly requisite: { readonly id: string; readonly phone: string; readonly bankIssuer: string }
  readonly checkoutUrl: string
}

/** The answer to a create, with the names of the API. */
export const toAnswer = (body: CreateBody, created: Created) => ({
  payment: {
    id: created.id,
    rate: { USDT: { price: created.price, createdAt: created.rateCreatedAt.toISOString() } },
    orderId: body.orderId,
    userId: created.userId,
    status: 'new',
    amount: body.amount,
    sourcePan: '',
    currency: body.currency,
    total: { currency: 'USDT', amount: created.total },
    expiredAt: created.expiredAt.toISOString(),
  },
  card: created.requisite,
  redirectUrl: created.checkoutUrl,
})
