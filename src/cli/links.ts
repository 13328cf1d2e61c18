import { InvalidArgumentError } from 'commander'
import type { CreateLink, PaymentLink } from '../../sdk/src/payin-sdk.ts'
import { allLinks, LinkAnswer, links } from '../operations/links.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { command } from './commands.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import { Failure } from './failure.ts'
import { argument, choice, onlyGiven, option, optionOr } from './inputs.ts'
import { exactAmount, pairs } from './merchant-payments.ts'
import { keyOf, ofMerchant } from './named-inputs.ts'
import { pickListed, isWholeId } from './resolve-name.ts'
import type { Printed } from './print-table.ts'
import { printRow } from './show-rows.ts'
import { time, wholeNumber } from './read-arguments.ts'
import type { Session } from './session.ts'

/** The number of uses that was typed, as fields of the request. */
const readUses = (typed: string): { uses: 'once' | 'many'; maxUses?: number } => {
  if (typed === 'once' || typed === 'many') return { uses: typed }
  const most = /^\d+$/.test(typed) ? wholeNumber(typed) : 0
  if (most === 0) throw new InvalidArgumentError('Write once, many, or a whole number from 1.')
  return most === 1 ? { uses: 'once' } : { uses: 'many', maxUses: most }
}

const newLink = {
  title: argument('<title>', 'what is paid for, as payers read it'),
  description: option('--description <description>', 'more about it'),
  amount: option('--amount <amount>', 'a fixed amount; without it the payer enters one', exactAmount),
  minAmount: option('--min <amount>', 'smallest amount that a payer may enter', exactAmount),
  maxAmount: option('--max <amount>', 'largest amount that a payer may enter', exactAmount),
  currency: optionOr('--currency <currency>', 'currency code', 'rub', String),
  method: choice('--method <method>', 'how to pay; without it the payer chooses', paymentMethods),
  uses: optionOr('--uses <uses>', 'once, many, or the largest number of payments', 'once', readUses),
  endsAt: option('--ends <time>', 'when it stops starting payments, such as 2026-12-31T18:00:00Z', time),
  returnUrl: option('--return-url <address>', "where the payer's page sends the payer back to"),
  metadata: option('--metadata <pairs>', 'texts to copy to each payment, such as group=b,term=spring', pairs),
}

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

const create = command({
  description: "Create a payment link, with its merchant's token or, with --merchant, as an operator.",
  inputs: { ...newLink, merchantId: ofMerchant(', with an operator token') },
  run: async (session, { merchantId, uses, ...given }) => {
    const body = { ...onlyGiven(given), ...uses } as CreateLink
    const print = (link: PaymentLink): Printed => printRow(LinkAnswer, link)
    if (session.side() === 'merchant')
      return session.showValue(await session.merchant().ask((payin) => payin.links.create(body)), print)
    if (merchantId === undefined) throw new Failure(['Give --merchant, the owner of the link.'], 2)
    session.show(await session.call<LinkAnswer>('POST /merchants/{merchantId}/links', { merchantId }, { body }), print)
  },
})

/** Payment links, for operators and merchants. */
export const linkCommands = nounCommands(links, {
  create,
  list: commandOf(allLinks, 'list', {
    asMerchant: (payin, { merchantId: _, ...query }) => payin.links.page(onlyGiven(query) as object),
    csvAsMerchant: (payin, { merchantId: _, ...filters }) => payin.links.csv(filters),
  }),
  get: commandOf(links.operations, 'get', {
    inputs: linkKey,
    asMerchant: (payin, { linkId }) => payin.links.get(linkId as string),
  }),
  close: commandOf(links.operations, 'close', {
    inputs: linkKey,
    asMerchant: (payin, { linkId }) => payin.links.close(linkId as string),
  }),
})
