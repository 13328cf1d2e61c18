import { html } from 'ghtml'
import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { defaultTerms, type Merchant } from '../../domain/merchant.ts'
import type { Payment } from '../../domain/payment.ts'
import { minute } from '../../domain/time.ts'
import { getProfile, type MerchantProfile } from '../../merchants/merchant-directory.ts'
import type { App } from '../app.ts'
import { Id } from '../fields.ts'
import { formatMoney } from './formats.ts'
import { chooseLocale, dictionaries, type Locale } from './languages.ts'
import { renderDocument } from './layout.ts'
import type { CheckLimits } from './page-limits.ts'
import { pageOf, showTestMode } from './page-of.ts'
import { basePath, brandOf, type PageView } from './page-view.ts'
import { showPay } from './show-pay.ts'

const amount = 5000_37n
/** No code of an operator or a region begins with 0: this number is nobody's. */
const unassignedNumber = { shown: '+7 000 000 00 00', machine: '+70000000000' }

/** A payment that nobody has made, at the moment when its payer reads where to pay. */
const madeUpPayment = (merchantId: string, now: number): Payment => ({
  merchantId,
  id: merchantId,
  orderId: 'order-1001',
  type: 'direct',
  method: 'sbp',
  sbpEnabled: false,
  bankIssuer: null,
  transferScope: null,
  userId: 'user',
  userIdGiven: false,
  returnUrl: null,
  locale: null,
  currency: 'rub',
  amount,
  ratePrice: 1n,
  rateCreatedAt: now,
  total: 0n,
  status: 'new',
  statusReason: 'created',
  sequence: 1,
  received: 0n,
  finalAmount: null,
  requisiteId: merchantId,
  requisiteShown: true,
  switchedFrom: null,
  sourcePan: '',
  payerBank: null,
  terms: { ...defaultTerms, minMinor: 1n, maxMinor: amount },
  createdAt: now,
  expiredAt: now + 30 * minute,
  claimedAt: null,
  changedAt: now,
  acknowledgedAt: null,
  receiptAt: null,
  claimReceivedAt: null,
})

const previewView = (
  context: Context,
  { merchant, logo }: MerchantProfile,
  wanted: { readonly accent: string | null; readonly locale: Locale; readonly base: string },
): PageView => {
  const { accent, locale, base } = wanted
  const shown: Merchant = { ...merchant, mode: 'sandbox' }
  const now = context.clock()
  return {
    locale,
    words: dictionaries[locale],
    path: () => '#',
    payment: madeUpPayment(merchant.id, now),
    merchant: shown,
    brand: brandOf(base, logo, accent),
    state: 'pay',
    now,
    zone: 180,
    money: (minor) => formatMoney(locale, minor, 'rub'),
    method: 'sbp',
    requisite: () => ({
      number: unassignedNumber,
      masked: '•••• 0000',
      bank: 'Bank',
      holder: 'Ivan P.',
      country: undefined,
      order: undefined,
      code: undefined,
    }),
    otherMethod: undefined,
    banks: () => [],
    offeredBanks: () => ({ banks: [], isAll: true }),
    payerBank: undefined,
    bankLinks: () => ({ links: [], isAll: true }),
    country: null,
    returnUrl: undefined,
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

/**
 * Serves what payers of a merchant see, of a payment that is made up, for the console to show in a frame; `accent` in the query
 * is a colour to try (`1a56c4`), or empty for the page's own. It carries the banner of the sandbox and a number that nobody
 * has, so that nobody pays because of it, and no script.
 */
export const servePreview = (app: App, context: Context, style: string, checkLimits: CheckLimits): void => {
  const schema = {
    hide: true,
    params: Type.Object({ merchantId: Id }),
    querystring: Type.Object({
      accent: Type.Optional(Type.String({ pattern: '^([0-9a-fA-F]{6})?$' })),
      locale: Type.Optional(Type.String({ maxLength: 20 })),
    }),
  }
  app.get('/assets/preview/:merchantId', { schema, onRequest: checkLimits }, async (request, reply) => {
    const profile = await getProfile(context, request.params.merchantId)
    const { accent = '', locale } = request.query
    const view = previewView(context, profile, {
      accent: accent === '' ? null : `#${accent}`,
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
