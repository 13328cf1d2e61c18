import { getClaim, listReceiptsOf } from '../../engine/disputes/read.ts'
import type { Context } from '../../engine/context.ts'
import { fillBankLink } from '../../rules/payments/bank-guide.ts'
import { readForPayer } from '../../engine/transfers/refunds/refunds.ts'
import { bankTransferCode, longestValues } from '../../rules/requisites/bank-transfer-code.ts'
import { bankOf, isPaymentOrder, purposeOf, type Recipient } from '../../rules/requisites/recipient.ts'
import { paymentCode } from '../../rules/payments/payment-code.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { methodRules, offeredMethods, type PaymentMethod } from '../../rules/values/payment-method.ts'
import { isReturnUrl } from '../../rules/payments/payment-request.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { findReplacement, linkUrl } from '../../engine/links/read.ts'
import type { MerchantLogo } from '../../engine/merchants/merchant-directory.ts'
import { viewPayment } from '../../engine/payments/view-payment.ts'
import { type BankIssuer, bankIssuers } from '../../engine/requisites/bank-issuers.ts'
import { revealRecipient, shownNameOf, revealNumber } from '../../engine/requisites/requisite-pool.ts'
import { chooseLocale, dictionaries, type Locale, readLocale } from './languages.ts'
import type { Dictionary } from './english.ts'
import { type Copyable, countryOfPhone, formatMoney, formatRequisite } from './formats.ts'
import { accentPath, logoPath } from './page-assets.ts'
import { linkedBanks, nameBank, offerBanks, orderBanks } from './offer-banks.ts'
import { type PageState, pageState } from './page-state.ts'

/** What the payer sees of the requisite. */
export type ShownRequisite = Readonly<ReturnType<typeof showRequisite>>

/** The fields of a payment order; null if unknown. */
export type ShownOrder = Readonly<ReturnType<typeof orderOf>>

/** How a merchant looks: addresses of its logo, with the size, and of the stylesheet with its colour. */
export type Brand = {
  readonly logo: { readonly path: string; readonly width: number | null; readonly height: number | null } | undefined
  readonly accent: string | undefined
}

/** The look of a merchant's pages under the service's base path. */
export const brandOf = (base: string, logo: MerchantLogo | null, accent: string | null): Brand => ({
  logo: logo === null ? undefined : { ...logo, path: base + logoPath(logo.hash) },
  accent: accent === null ? undefined : base + accentPath(accent),
})

/** Path parameters of a page: the token and, if the path has one, the language. */
export type PageAddress = { readonly token: string; readonly locale?: string | undefined }

/** Path under which the service is reached from outside: `''`, or a proxy's prefix such as `/pay`. */
export const basePath = (context: Context): string => new URL(context.settings.publicUrl).pathname.replace(/\/$/, '')

/** Path of a page, with its language if there is one. */
export const pagePath = (context: Context, language: Locale | undefined, ...parts: readonly string[]): string =>
  [basePath(context), ...(language === undefined ? [] : [language]), ...parts].join('/')

const orderOf = (recipient: Recipient, bank: BankIssuer | undefined, purpose: string) => {
  const { bic, correspondentAccount } = bankOf(recipient, bank)
  return { inn: recipient.inn, kpp: recipient.kpp, bic, correspondentAccount, purpose }
}

const withCode = ({ isPayerNamed, id }: Payment, purpose: string): string => {
  if (!isPayerNamed) return purpose
  const code = ` ${paymentCode(id)}`
  return purpose.slice(0, longestValues.purpose - code.length) + code
}

const showRequisite = (
  context: Context,
  payment: Payment,
  requisite: Requisite,
  bank: BankIssuer | undefined,
  locale: Locale,
  words: Dictionary,
) => {
  const number = revealNumber(context.vault, requisite)
  const recipient = revealRecipient(context.vault, requisite)
  const bankName = bank?.name ?? requisite.bankIssuer
  const shownBank = bank ? nameBank(bank, locale).name : bankName
  const isOrder = isPaymentOrder(requisite.method, payment.currency)
  const order = isOrder
    ? orderOf(
        recipient,
        bank,
        withCode(payment, purposeOf(recipient, payment.orderId, words.transfer.purposeOf(payment.orderId))),
      )
    : undefined
  // A transfer to an account needs the full name of its owner.
  const isWhole = methodRules[requisite.method].numberKind === 'account'
  const isAbroad = requisite.transferScope !== null
  return {
    number: formatRequisite(requisite.method, number),
    /** The last digits only. */
    masked: requisite.numberMasked,
    /** Where its name is in other letters than the page, these follow it: banks' apps have them. */
    bank: { shown: shownBank === bankName ? bankName : `${shownBank} (${bankName})`, machine: bankName },
    /** The recipient as the payer's bank shows it; whole for transfers by account number. */
    holder: isWhole ? requisite.holder.trim() : shownNameOf(context.vault, requisite),
    /** Country whose banks know the phone number, in transfers abroad. */
    country: isAbroad ? (countryOfPhone(number) ?? bank?.country) : undefined,
    /** What a payment order needs, for transfers by account number in Russia. */
    order,
    /** The recipient's static SBP link, if it has one. */
    sbpLink: recipient.sbpLink ?? undefined,
    /** Text of the payment QR code, if the bank's identifiers are known. */
    code: order && transferCode(payment, { ...order, name: requisite.holder, account: number, bankName }),
  }
}

const transferCode = (
  payment: Payment,
  {
    bic,
    correspondentAccount,
    ...order
  }: ShownOrder & { readonly name: string; readonly account: string; readonly bankName: string },
): string | undefined =>
  bic === null || correspondentAccount === null
    ? undefined
    : bankTransferCode({ ...order, bic, correspondentAccount, sum: payment.amount - payment.received })

const otherMethodOf = (payment: Payment, requisite: Requisite, isOtherFree: boolean): PaymentMethod | undefined => {
  const other = offeredMethods(payment).find((method) => method !== requisite.method)
  return other === payment.method || isOtherFree ? other : undefined
}

const linksOf = (
  banks: readonly BankIssuer[],
  method: PaymentMethod,
  transfer: () => { readonly amount: string; readonly number: string },
) =>
  banks.flatMap(({ name, guide }) => {
    const link = guide.links[method]
    return link === undefined ? [] : [{ bank: name, url: fillBankLink(link, transfer()) }]
  })

const endedStates: ReadonlySet<PageState> = new Set(['expired', 'canceled', 'failed'])

/**
 * Where the payer of a payment from a link may go on after it has ended without money: to the link, and to the newer
 * payment that has replaced this one, or to the link while that payment is being created.
 */
const waysOn = async (
  context: Context,
  { linkId, orderId, merchantId, statusReason }: Payment,
  state: PageState,
  pathOf: (token: string) => string,
): Promise<{ startAgain: string | undefined; newer: string | undefined }> => {
  if (linkId === null || !endedStates.has(state)) return { startAgain: undefined, newer: undefined }
  const startAgain = linkUrl(context, linkId)
  const found = statusReason === 'canceled-by-payer' ? await findReplacement(context, { linkId, orderId }) : undefined
  if (found === undefined) return { startAgain, newer: undefined }
  const { paymentId } = found
  return {
    startAgain,
    newer: paymentId === null ? startAgain : pathOf(context.checkoutTokens.issue(merchantId, paymentId)),
  }
}

const countReceipts = async (context: Context, { merchantId, id }: Payment): Promise<number> =>
  (await listReceiptsOf(context, [{ merchantId, paymentId: id }])).length

const refundsIn = async (context: Context, payment: Payment, state: PageState) =>
  state === 'paid' || state === 'credited' ? readForPayer(context, payment) : { refunds: [], asksAccount: false }

/** Reads what the page of a token shows now. Refuses tokens that open nothing with the same `payment_not_found`. */
export const openPage = async (context: Context, address: PageAddress, acceptLanguage: string | undefined) => {
  const viewed = await viewPayment(context, address.token)
  if (!viewed) throw new Refusal('payment_not_found', 'There is no payment at this address.')
  const { payment, merchant, requisite, logo, isOtherFree, asksName, ownBanks } = viewed
  const banks = await context.catalog.get(bankIssuers)
  const bank = banks.get(requisite.bankIssuer)
  const locale = chooseLocale(address.locale, payment.locale, acceptLanguage)
  const words = dictionaries[locale]
  const now = context.clock()
  const state = pageState(payment, now)
  const country = payment.transferScope === 'international' ? null : (bank?.country ?? null)
  const base = basePath(context)
  const money = (minor: bigint): Copyable => formatMoney(locale, minor, payment.currency)
  const payerBank = orderBanks(banks, locale).find(({ code }) => code === (payment.payerBank ?? payment.bankIssuer))
  const { accent, returnHosts } = merchant.settings
  const shown = () => showRequisite(context, payment, requisite, bank, locale, words)
  const offered = () => orderBanks(banks, locale).filter((each) => country === null || each.country === country)
  // Only a known language: any other text could turn a redirect into one to another site.
  const pathOf = (token: string, language = readLocale(address.locale)): string =>
    pagePath(context, language, token, 'payment-sbp')
  return {
    locale,
    words,
    /**
     * Path of the page in a language. Default: the language in the address, if it has one. The page itself links to its
     * parts by relative addresses (`payment-sbp/claim`), which are half as long.
     */
    path: (wanted?: Locale) => pathOf(address.token, wanted),
    payment,
    merchant,
    brand: brandOf(base, logo, accent),
    state,
    now,
    /** The requisite's offset from UTC in minutes; times on the page are in this zone. */
    zone: requisite.limits.utcOffsetMinutes,
    /** Formats an amount of the payment's currency. */
    money,
    /** The requisite's method: the payer may have chosen another than the payment's. */
    method: requisite.method,
    /** Whether the payer is asked for the name from which it pays. */
    asksName,
    /** The code that distinguishes the transfer from others of the same amount. */
    code: payment.isPayerNamed ? paymentCode(payment.id) : undefined,
    /** Decrypts the number, so it is called only where the state shows it. */
    requisite: shown,
    /** The other method that the payer may choose. */
    otherMethod: otherMethodOf(payment, requisite, isOtherFree),
    /** Banks that the payer may choose from, by rank; only those of `country`, if there is one. */
    banks: offered,
    /** Those that the page shows at once, or for a search. */
    offeredBanks: (search: string) => offerBanks(offered(), search, ownBanks),
    /** The payer's bank, if the payer or the merchant named it. */
    payerBank,
    /**
     * The link into the app of the payer's bank; if there is none, links into those of other banks, if all fit or for a
     * search.
     */
    bankLinks: (search: string) => {
      const { method } = requisite
      const isLinked = payerBank?.guide.links[method] !== undefined
      const known = isLinked ? [payerBank] : linkedBanks(banks, locale, method)
      // Which of many banks is the payer's cannot be guessed; the banks of the merchant's accounts say nothing about it.
      const { banks: found, isAll } = offerBanks(known, search)
      const amount = money(payment.amount - payment.received).machine
      return { links: linksOf(found, method, () => ({ amount, number: shown().number.machine })), isAll }
    },
    /** Country whose phone numbers may be written without a country code; `null` when the code is required. */
    country,
    /** Where the link to the shop leads: to a host that is registered now. */
    returnUrl:
      payment.returnUrl !== null && isReturnUrl(payment.returnUrl, returnHosts) ? payment.returnUrl : undefined,
    ...(await waysOn(context, payment, state, pathOf)),
    /** How many receipts the payer has sent. */
    receipts: payment.receiptAt === null ? 0 : await countReceipts(context, payment),
    /** What the shop gives back to the payer, once the payment is paid. */
    ...(await refundsIn(context, payment, state)),
    /** What the payer claims, in the state that shows it. */
    claim: state === 'claimed' ? await getClaim(context, payment.merchantId, payment.id) : undefined,
  }
}

/** Everything that the rendering of a payment's page depends on. */
export type PageView = Readonly<Awaited<ReturnType<typeof openPage>>>

/** Tag of what the page shows; it changes exactly when there is something new to see. */
export const pageTag = ({ state, payment, now, refunds, asksAccount }: PageView): string =>
  `"${state}.${payment.sequence}.${payment.received}.${payment.expiredAt}.${now < payment.expiredAt ? 'open' : 'over'}.${payment.requisiteId.slice(-6)}.${payment.receiptAt ?? ''}.${payment.payerChanges}.${refunds.map(({ sequence }) => sequence).join('-')}${asksAccount ? '?' : ''}"`
