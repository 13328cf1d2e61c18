import type { Context } from '../../engine/context.ts'
import { amountBounds } from '../../rules/payments/payment-link.ts'
import { Refusal } from '../../rules/refusal.ts'
import { findLink } from '../../engine/links/read.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { formatMoney } from './formats.ts'
import { chooseLocale, dictionaries, type Locale, readLocale } from './languages.ts'
import { basePath, brandOf, pagePath } from './page-view.ts'

/** Path parameters of a link's page: the token and, if the path has one, the language. */
export type LinkAddress = { readonly link: string; readonly locale?: string | undefined }

/** Reads what the page of a link shows now. Refuses each token that opens nothing with the same `payment_not_found`. */
export const openLink = async (context: Context, address: LinkAddress, acceptLanguage: string | undefined) => {
  const id = context.linkTokens.open(address.link)
  const link = id === undefined ? undefined : await findLink(context, id, context.clock())
  if (!link) throw new Refusal('payment_not_found', 'There is no payment link at this address.')
  const profile = await getProfile(context, link.merchantId)
  const { merchant, logo, limits } = profile
  const locale = chooseLocale(address.locale, null, acceptLanguage)
  const given = readLocale(address.locale)
  return {
    locale,
    words: dictionaries[locale],
    /** Path of the page in a language. Default: the language in the address, if it has one. */
    path: (language: Locale | undefined = given) => pagePath(context, language, 'l', address.link),
    /** The language in the address, which the pages that follow keep. */
    given,
    link,
    profile,
    merchant,
    brand: brandOf(basePath(context), logo, merchant.settings.accent),
    // What the payer may enter. If the merchant has no limits for the currency any more, no amount is accepted.
    bounds: amountBounds(link, limits.get(link.currency) ?? { min: 1n, max: 0n }),
    /** Formats an amount of the link's currency. */
    money: (minor: bigint) => formatMoney(locale, minor, link.currency),
  }
}

/** Everything that the rendering of a link's page depends on. */
export type LinkView = Readonly<Awaited<ReturnType<typeof openLink>>>
