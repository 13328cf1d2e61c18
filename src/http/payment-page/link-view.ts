import type { Context } from '../../context.ts'
import type { Merchant } from '../../domain/merchant.ts'
import { amountBounds } from '../../domain/payment-link.ts'
import { Refusal } from '../../domain/refusal.ts'
import { type CountedLink, findLink } from '../../links/read.ts'
import type { Instant } from '../../domain/time.ts'
import { getProfile, type MerchantProfile } from '../../merchants/merchant-directory.ts'
import type { Dictionary } from './dictionary-en.ts'
import { type Copyable, formatMoney } from './formats.ts'
import { chooseLocale, dictionaries, type Locale, readLocale } from './languages.ts'
import { type LinkWords, linkWords } from './link-words.ts'
import { basePath, type Brand, brandOf } from './page-view.ts'

/** Everything that the rendering of a link's page depends on. */
export type LinkView = {
  readonly locale: Locale
  readonly words: Dictionary
  readonly linkWords: LinkWords
  /** Path of the page in a language. Default: the language of the request. */
  readonly path: (locale?: Locale) => string
  /** The language in the address, which the pages that follow keep. */
  readonly given: Locale | undefined
  readonly link: CountedLink & { readonly freeAt: Instant | null }
  readonly profile: MerchantProfile
  readonly merchant: Merchant
  readonly brand: Brand
  /** What the payer may enter. */
  readonly bounds: { readonly min: bigint; readonly max: bigint }
  /** Formats an amount of the link's currency. */
  readonly money: (minor: bigint) => Copyable
}

/** Path parameters of a link's page: the token and, where the path has one, the language. */
export type LinkAddress = { readonly link: string; readonly locale?: string | undefined }

/** Reads what the page of a link shows now. Refuses every token that opens nothing alike: `payment_not_found`. */
export const openLink = async (
  context: Context,
  address: LinkAddress,
  acceptLanguage: string | undefined,
): Promise<LinkView> => {
  const id = context.linkTokens.open(address.link)
  const link = id === undefined ? undefined : await findLink(context, id, context.clock())
  if (!link) throw new Refusal('payment_not_found', 'There is no payment link at this address.')
  const profile = await getProfile(context, link.merchantId)
  const { merchant, logo, limits } = profile
  const locale = chooseLocale(address.locale, null, acceptLanguage)
  const base = basePath(context)
  const given = readLocale(address.locale)
  return {
    locale,
    words: dictionaries[locale],
    linkWords: linkWords[locale],
    path: (wanted) => {
      const language = wanted ?? given
      return [base, ...(language === undefined ? [] : [language]), 'l', address.link].join('/')
    },
    given,
    link,
    profile,
    merchant,
    brand: brandOf(base, logo, merchant.settings.accent),
    // A currency that the merchant has no limits for any more takes no amount.
    bounds: amountBounds(link, limits.get(link.currency) ?? { min: 1n, max: 0n }),
    money: (minor) => formatMoney(locale, minor, link.currency),
  }
}
