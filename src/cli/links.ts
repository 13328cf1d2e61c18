import type { CreateLink } from '../../sdk/src/payin-sdk.ts'
import { allLinks, links } from '../operations/links.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import { Failure } from './failure.ts'
import { onlyGiven, optionOr } from './inputs.ts'
import { keyOf, ofMerchant } from './named-inputs.ts'
import { pickListed, isWholeId } from './resolve-name.ts'
import type { Session } from './session.ts'

/** The id of a merchant's own link, named by its id, the beginning of its id, or its title among the newest. */
export const ownLink = async (session: Session, typed: string): Promise<string> => {
  if (isWholeId(typed)) return typed.toLowerCase()
  const page = await session.merchant().ask((payin) => payin.links.page({ limit: 500 }))
  const listed = page.links.map((link) => ({
    id: link.id,
    names: [link.title, link.url],
    about: `${link.title}, ${link.state}`,
  }))
  return pickListed(listed, typed, { kind: 'link', shownBy: 'payin links list' })
}

const linkKey = keyOf('link', 'merchantId', 'linkId', ownLink)

export const linkCommands = nounCommands(links, {
  create: commandOf(links.operations.create, {
    inputs: {
      merchantId: ofMerchant(', with an operator token'),
      currency: optionOr('--currency <currency>', 'currency code', 'rub', String),
    },
    asMerchant: (payin, { merchantId: _, ...given }) => payin.links.create(onlyGiven(given) as CreateLink),
    values: async (given) => {
      if (given['merchantId'] === undefined) throw new Failure(['Give --merchant, the owner of the link.'], 2)
      return given
    },
  }),
  list: commandOf(allLinks.list, {
    asMerchant: (payin, { merchantId: _, ...query }) => payin.links.page(onlyGiven(query) as object),
    csvAsMerchant: (payin, { merchantId: _, ...filters }) => payin.links.csv(filters),
  }),
  get: commandOf(links.operations.get, {
    inputs: linkKey,
    asMerchant: (payin, { linkId }) => payin.links.get(linkId as string),
  }),
  close: commandOf(links.operations.close, {
    inputs: linkKey,
    asMerchant: (payin, { linkId }) => payin.links.close(linkId as string),
  }),
})
