import type { Context } from '../../context.ts'
import { maskHolder } from '../../domain/masking.ts'
import type { Merchant } from '../../domain/merchant.ts'
import type { Payment } from '../../domain/payment.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Requisite } from '../../domain/requisite.ts'
import type { Instant } from '../../domain/time.ts'
import { viewPayment } from '../../payments/view-payment.ts'
import { type BankIssuer, bankIssuers } from '../../requisites/bank-issuers.ts'
import { revealNumber } from '../../requisites/reveal-number.ts'
import { chooseLocale, readLocale } from './choose-locale.ts'
import { type Dictionary, dictionaries, type Locale } from './dictionary.ts'
import { type Copyable, formatMoney, formatRequisite } from './formats.ts'
import { type PageState, pageState } from './page-state.ts'

/** What the payer is told of the requisite. */
export type ShownRequisite = { readonly number: Copyable; readonly bank: string; readonly holder: string }

/** Everything that the rendering of a payment's page depends on. */
export type PageView = {
  readonly locale: Locale
  readonly words: Dictionary
  /** Address of the page in a language, or in the one that it was asked for. */
  readonly path: (locale?: Locale) => string
  readonly payment: Payment
  readonly merchant: Merchant
  readonly state: PageState
  readonly now: Instant
  /** Formats an amount of the payment's currency. */
  readonly money: (minor: bigint) => Copyable
  /** Opened only where the state shows it. */
  readonly requisite: () => ShownRequisite
  /** Banks that the payer may choose from, those of `country` only, in alphabetical order. */
  readonly banks: readonly BankIssuer[]
  /** Country whose phone numbers may be written without a country code; `null` when each names its own. */
  readonly country: string | null
}

/** Names a page: the token and, where the address has one, the language. */
export type PageAddress = { readonly token: string; readonly locale?: string | undefined }

/** Path under which the service is reached from outside: `''`, or that of a proxy such as `/pay`. */
export const basePath = (context: Context): string => new URL(context.settings.publicUrl).pathname.replace(/\/$/, '')

const showRequisite = (context: Context, requisite: Requisite, bank: string): ShownRequisite => ({
  number: formatRequisite(requisite.method, revealNumber(context.vault, requisite)),
  bank,
  holder: maskHolder(requisite.holder),
})

/** Opens the page of a token as it is now; refuses `payment_not_found`, the same for every token that opens nothing. */
export const openPage = async (
  context: Context,
  address: PageAddress,
  acceptLanguage: string | undefined,
): Promise<PageView> => {
  const viewed = await viewPayment(context, address.token)
  if (!viewed) throw new Refusal('payment_not_found', 'There is no payment at this address.')
  const { payment, merchant, requisite } = viewed
  const banks = await context.catalog.get(bankIssuers)
  const bank = banks.get(requisite.bankIssuer)
  const locale = chooseLocale(address.locale, payment.locale, acceptLanguage)
  const now = context.clock()
  const country = payment.transferScope === 'international' ? null : (bank?.country ?? null)
  return {
    locale,
    words: dictionaries[locale],
    path: (wanted) => {
      // Only a language that we know: anything else in an address could lead a redirect to another site.
      const language = wanted ?? readLocale(address.locale)
      return [basePath(context), ...(language === undefined ? [] : [language]), address.token, 'payment-sbp'].join('/')
    },
    payment,
    merchant,
    state: pageState(payment, now),
    now,
    money: (minor) => formatMoney(locale, minor, payment.currency),
    requisite: () => showRequisite(context, requisite, bank?.name ?? requisite.bankIssuer),
    banks: [...banks.values()]
      .filter((each) => country === null || each.country === country)
      .toSorted((a, b) => a.name.localeCompare(b.name, locale)),
    country,
  }
}

/** Tag of what the page shows: it changes exactly when there is something new to see. */
export const pageTag = ({ state, payment, now }: PageView): string =>
  `"${state}.${payment.sequence}.${payment.received}.${payment.expiredAt}.${now < payment.expiredAt ? 'open' : 'over'}"`
