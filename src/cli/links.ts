import { InvalidArgumentError } from 'commander'
import type { CreateLink, PaymentLink } from '../../sdk/src/payin-sdk.ts'
import type { OperatorLink } from '../operations/links.ts'
import { linkStates } from '../rules/payments/payment-link.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { command, type Group, list, request } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, choice, onlyGiven, option, optionOr, page } from './inputs.ts'
import { exactAmount, pairs } from './merchant-payments.ts'
import { keyOf, ofMerchant } from './named-inputs.ts'
import { pickListed, isWholeId } from './resolve-name.ts'
import { printAmount, type Printed, printFields, printTime } from './print-table.ts'
import { time, wholeNumber } from './read-arguments.ts'
import type { Session } from './session.ts'

type EitherLink = PaymentLink & Partial<Pick<OperatorLink, 'merchantId' | 'merchantName'>>

const amountOf = ({ amount, minAmount, maxAmount, currency }: EitherLink): string => {
  if (amount !== undefined) return printAmount(amount, currency)
  const bounds = [
    minAmount === undefined ? '' : `from ${printAmount(minAmount, currency)}`,
    maxAmount === undefined ? '' : `to ${printAmount(maxAmount, currency)}`,
  ].filter((each) => each !== '')
  return bounds.length === 0 ? `any amount in ${currency}` : bounds.join(' ')
}

const usesOf = ({ uses, maxUses }: EitherLink): string =>
  uses === 'once' ? 'once' : maxUses === undefined ? 'many' : `up to ${maxUses}`

const describe = (link: EitherLink): Printed =>
  printFields({
    Address: link.url,
    Id: link.id,
    Merchant: link.merchantName ?? link.merchantId,
    Title: link.title,
    Description: link.description,
    State: link.state,
    Amount: amountOf(link),
    Method: link.method ?? 'chosen by the payer',
    Uses: usesOf(link),
    Payments: `${link.payments.paid} paid, ${link.payments.underWay} under way`,
    Ends: printTime(link.endsAt),
    'Returns to': link.returnUrl,
    Metadata: link.metadata && JSON.stringify(link.metadata),
    'Created by': link.createdBy,
    Created: printTime(link.createdAt),
    Closed: printTime(link.closedAt),
  })

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
  const { links } = await session.merchant().ask((payin) => payin.links.page({ limit: 500 }))
  const listed = links.map((link) => ({
    id: link.id,
    names: [link.title, link.url],
    about: `${link.title}, ${link.state}`,
  }))
  return pickListed(listed, typed, { kind: 'link', shownBy: 'payin links list' })
}

const linkKey = keyOf('link', 'merchantId', 'linkId', ownLink)

export const linkCommands: Group = {
  description: 'Payment links: pages where payers start payments to a merchant.',
  examples: [
    'payin links create "Pottery course" --amount 5000 --method sbp',
    'payin links create Donation --min 100 --uses many --merchant "Demo Shop"',
    'payin links list --state open',
    'payin links get "Pottery course"',
    'payin links close "Pottery course"',
  ],
  commands: {
    create: command({
      description: "Create a payment link, with its merchant's token or, with --merchant, as an operator.",
      inputs: { ...newLink, merchantId: ofMerchant(', with an operator token') },
      run: async (session, { merchantId, uses, ...given }) => {
        const body = { ...onlyGiven(given), ...uses } as CreateLink
        if (session.side() === 'merchant') {
          return session.showValue(await session.merchant().ask((payin) => payin.links.create(body)), describe)
        }
        if (merchantId === undefined) throw new Failure(['Give --merchant, the owner of the link.'], 2)
        session.show(
          await session.call<EitherLink>('POST /merchants/{merchantId}/links', { merchantId }, { body }),
          describe,
        )
      },
    }),
    list: list('GET /links', {
      description: 'List payment links, newest first.',
      inputs: {
        state: choice('--state <state>', 'only these', linkStates),
        merchantId: ofMerchant(),
        ...page,
      },
      asMerchant: (payin, { merchantId: _, ...query }) => payin.links.page(onlyGiven(query) as object),
      csvAsMerchant: (payin, { merchantId: _, ...filters }) => payin.links.csv(filters),
      rows: (answer: { links: EitherLink[] }) => answer.links,
      empty: 'No such links. Create one: payin links create "Pottery course" --amount 5000',
      columns: {
        'TITLE~': 'title',
        STATE: 'state',
        'AMOUNT>': amountOf,
        USES: usesOf,
        'PAID>': ({ payments }) => payments.paid,
        'UNDER WAY>': ({ payments }) => payments.underWay,
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        ENDS: ({ endsAt }) => printTime(endsAt),
        CREATED: ({ createdAt }) => printTime(createdAt),
        'ID#': 'id',
      },
    }),
    get: request('GET /merchants/{merchantId}/links/{linkId}', {
      description: 'Show a payment link with its address and state.',
      inputs: linkKey,
      asMerchant: (payin, { linkId }): Promise<EitherLink> => payin.links.get(linkId),
      print: describe,
    }),
    close: request('POST /merchants/{merchantId}/links/{linkId}/close', {
      description: 'Close a payment link permanently; payments that were started continue.',
      inputs: linkKey,
      asMerchant: (payin, { linkId }): Promise<EitherLink> => payin.links.close(linkId),
      print: ({ title }) => `The link "${title}" is closed.`,
    }),
  },
}
