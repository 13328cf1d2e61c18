import { Type } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import type { Context } from '../../engine/context.ts'
import { defaultTerms, type Merchant } from '../../rules/merchants/merchant.ts'
import { newState, type Payment } from '../../rules/payments/payment.ts'
import { methodRules, type PaymentMethod, paymentMethods } from '../../rules/values/payment-method.ts'
import { Refusal } from '../../rules/refusal.ts'
import { minute } from '../../rules/time.ts'
import { getProfile, type MerchantProfile } from '../../engine/merchants/merchant-directory.ts'
import type { App } from '../routes/app.ts'
import { memberOfSession } from '../access/console-session.ts'
import { Id } from '../../operations/fields.ts'
import { formatMoney, formatRequisite } from './formats.ts'
import { chooseLocale, dictionaries, type Locale } from './languages.ts'
import { pageOf, renderDocument, showTestMode } from './layout.ts'
import type { CheckLimits } from './page-limits.ts'
import { basePath, brandOf, type PageView, type ShownOrder } from './page-view.ts'
import { showPay } from './show-pay.ts'

const amount = 5000_37n

const unassignedOrder = (purpose: string): ShownOrder => ({
  inn: '0'.repeat(10),
  kpp: '0'.repeat(9),
  bic: '0'.repeat(9),
  correspondentAccount: '0'.repeat(20),
  purpose,
})

/** A made-up payment, at the moment when its payer reads where to pay. */
const madeUpPayment = (merchantId: string, method: PaymentMethod, now: number): Payment => ({
  merchantId,
  id: merchantId,
  orderId: 'order-1001',
  type: 'direct',
  method,
  sbpEnabled: false,
  bankIssuer: null,
  transferScope: null,
  userId: 'user',
  userIdGiven: false,
  returnUrl: null,
  locale: null,
  metadata: null,
  linkId: null,
  currency: 'rub',
  amount,
  ratePrice: 1n,
  rateCreatedAt: now,
  total: 0n,
  ...newState,
  requisiteId: merchantId,
  requisiteShown: true,
  sharesSlot: false,
  terms: { ...defaultTerms(method), minMinor: 1n, maxMinor: amount },
  createdAt: now,
  expiredAt: now + 30 * minute,
  changedAt: now,
})

const previewView = (
  context: Context,
  { merchant, logo }: MerchantProfile,
  wanted: {
    readonly accent: string | null
    readonly method: PaymentMethod
    readonly locale: Locale
    readonly base: string
  },
): PageView => {
  const { accent, method, locale, base } = wanted
  const { numberKind, transferScope } = methodRules[method]
  const words = dictionaries[locale]
  const shown: Merchant = { ...merchant, mode: 'sandbox' }
  const now = context.clock()
  return {
    locale,
    words,
    path: () => '#',
    payment: madeUpPayment(merchant.id, method, now),
    merchant: shown,
    brand: brandOf(base, logo, accent),
    state: 'pay',
    now,
    zone: 180,
    money: (minor) => formatMoney(locale, minor, 'rub'),
    method,
    requisite: () => ({
      number: formatRequisite(method, methodRules[method].unassignedNumber),
      masked: '•••• 0000',
      bank: { shown: 'Bank', machine: 'Bank' },
      holder: numberKind === 'account' ? merchant.name : 'Ivan P.',
      country: transferScope === null ? undefined : 'UZ',
      order: numberKind === 'account' ? unassignedOrder(words.transfer.purposeOf('order-1001')) : undefined,
      sbpLink: undefined,
      code: undefined,
    }),
    asksName: false,
    code: undefined,
    otherMethod: undefined,
    banks: () => [],
    offeredBanks: () => ({ banks: [], isAll: true }),
    payerBank: undefined,
    bankLinks: () => ({ links: [], isAll: true }),
    country: null,
    returnUrl: undefined,
    startAgain: undefined,
    newer: undefined,
    receipts: 0,
    claim: undefined,
  }
}

const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
}

/** Refuses everybody who is not signed in to the console as an operator. */
const checkViewer = async (context: Context, request: FastifyRequest): Promise<void> => {
  const { name, position } = await memberOfSession(context, request)
  if (position.kind !== 'operator') throw new Refusal('role_missing', `${name} is not an operator.`)
}

/**
 * Serves a preview of what a merchant's payers see, which the console shows in a frame to operators who are signed in.
 * The payment is made up; `accent` in the query is a colour to try (`1a56c4`), or empty for the page's own; `method` is
 * how the payer pays. The page has the banner of the sandbox and a number that nobody has, so that nobody pays because
 * of it, and no script.
 */
export const servePreview = (app: App, context: Context, style: string, checkLimits: CheckLimits): void => {
  const schema = {
    hide: true,
    params: Type.Object({ merchantId: Id }),
    querystring: Type.Object({
      accent: Type.Optional(Type.String({ pattern: '^([0-9a-fA-F]{6})?$' })),
      method: Type.Optional(Type.OneOf(paymentMethods)),
      locale: Type.Optional(Type.String({ maxLength: 20 })),
    }),
  }
  const check = (request: FastifyRequest) => checkViewer(context, request)
  app.get('/assets/preview/:merchantId', { schema, onRequest: [checkLimits, check] }, async (request, reply) => {
    const profile = await getProfile(context, request.params.merchantId)
    const { accent = '', method = 'sbp', locale } = request.query
    const view = previewView(context, profile, {
      accent: accent === '' ? null : `#${accent}`,
      method,
      locale: chooseLocale(locale, null, request.headers['accept-language']),
      base: basePath(context),
    })
    const main = html`<main aria-label="Preview">
!${showTestMode(view)}
<section class="card pay">!${showPay(view, false)}</section>
<p class="order">${view.words.order} ${view.payment.orderId}</p>
</main>`
    const page = pageOf(view, view.words.title(profile.merchant.name), main)
    return reply
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(renderDocument(page, { style, script: undefined }))
  })
}
