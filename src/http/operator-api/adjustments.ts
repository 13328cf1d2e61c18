import { type Static, Type } from '../../operations/schema.ts'
import { type Adjustment, adjustmentStatuses } from '../../rules/money/adjustment.ts'
import { quoteCurrency } from '../../rules/values/currency.ts'
import { account, isServiceBook, serviceBook } from '../../rules/money/ledger.ts'
import {
  decideAdjustment,
  draftAdjustment,
  listAdjustments,
  reverseAdjustment,
} from '../../engine/ledger/adjustments/adjustments.ts'
import { refuseOnePerson } from '../../engine/members/refuse-one-person.ts'
import { findMerchant } from '../../engine/merchants/read.ts'
import type { Tx } from '../../engine/context.ts'
import { Id, NoBody, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { readPage } from '../lists.ts'
import { ModeQuery, pageOf, PageQuery } from '../../operations/lists.ts'
import { accountNames, MerchantAndId, Reason, Reference, ofAnyMerchant } from '../../operations/operator-fields.ts'
import { actOnBehalf, actorOf, type RequestedAct } from '../act-on-behalf.ts'
import { amountRefusals, readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const Account = Type.String({
  maxLength: 64,
  pattern: '^(fees|rounding|written-off|merchant:available|fx:[a-z]{3}|(bank|reversed|overpayment):[0-9a-f-]{36})$',
  description:
    '`bank:{requisite}`, `fx:{currency}`, `fees`, `rounding`, `written-off`; with `merchantId` also `merchant:available`, `reversed:{payment}` (money that a bank took back) and, opposite `written-off`, `overpayment:{payment}` (owed to its payer).',
  examples: ['fees'],
})

const AdjustmentAnswer = Type.Titled('Adjustment', {
  id: Id,
  book: { ...Id, description: "The merchant's id, or the nil UUID for the service." },
  ...ofAnyMerchant('The merchant whose book it is; absent for the book of the service.'),
  reference: Type.String(),
  status: Type.OneOf(adjustmentStatuses),
  debitAccount: Type.String(),
  creditAccount: Type.String(),
  ...accountNames,
  currency: Type.String(),
  amount: Type.Number(),
  reason: Type.String(),
  bookedAt: Time,
  reverses: Type.Optional(Id, 'The adjustment that it reverses.'),
  draftedBy: Type.String({ examples: ['operator:anna'] }),
  decidedBy: Type.Optional(Type.String({ examples: ['operator:boris'] })),
  createdAt: Time,
})

export type AdjustmentAnswer = Static<typeof AdjustmentAnswer>

const toAnswer = ({ merchantId, ...row }: Adjustment): AdjustmentAnswer =>
  wire.fields({
    ...row,
    book: merchantId,
    merchantId: isServiceBook(merchantId) ? null : merchantId,
    amount: wire.money(row.amount, row.currency),
  })

const actOf = (verb: string): RequestedAct<Adjustment> => ({
  action: `adjustment.${verb}`,
  subject: ({ merchantId, id }) => `adjustment:${merchantId}/${id}`,
  details: ({ reference, debitAccount, creditAccount, currency, amount, reason }) => ({
    reference,
    debitAccount,
    creditAccount,
    currency,
    amount,
    reason,
  }),
})

/** Adjustments of the ledger. */
export const adjustmentRoutes = routesForOperators()

adjustmentRoutes.post('/ledger/adjustments', 'account', {
  id: 'createAdjustment',
  summary: 'Draft a posting that no payment or settlement explains',
  description:
    "For money that left or reached a bank account, a bank's charge, or a goodwill credit to a merchant. Another operator must post it.",
  body: {
    merchantId: Type.Optional(Id, 'The merchant in whose book it is. Default: the book of the service.'),
    reference: Reference,
    debitAccount: Account,
    creditAccount: Account,
    currency: Type.String({ pattern: '^([a-z]{3}|USDT)$', examples: ['rub'] }),
    amount: PositiveAmount,
    bookedAt: Type.Optional(Time, 'When the bank booked it; default: now.'),
    reason: Reason,
  },
  answer: AdjustmentAnswer,
  refusals: ['already_exists', ...amountRefusals, 'resource_not_found'],
  handle: async (context, request) => {
    const { body } = request
    const merchantId = body.merchantId ?? serviceBook
    const named = (name: string): string => (name === 'merchant:available' ? account.available(merchantId) : name)
    const wanted = readBody((read) => ({
      merchantId,
      reference: body.reference,
      debitAccount: named(body.debitAccount),
      creditAccount: named(body.creditAccount),
      currency: body.currency,
      amount: body.currency === quoteCurrency ? read.quote(body, 'amount') : read.amount(body, 'amount', body.currency),
      reason: body.reason,
      bookedAt: body.bookedAt === undefined ? context.clock() : read.instant(body.bookedAt, 'bookedAt'),
      draftedBy: actorOf(request),
    }))
    const draft = async (tx: Tx): Promise<Adjustment> => {
      if (body.merchantId !== undefined) await findMerchant(tx, merchantId)
      return draftAdjustment(tx, wanted)
    }
    return toAnswer(await actOnBehalf(context, request, draft, actOf('create')))
  },
})

const path = '/ledger/adjustments/:merchantId/:id'

const decisions = [
  ['post', 'posted', 'Post an adjustment', 'By an operator other than its author.'],
  ['reject', 'rejected', 'Reject an adjustment', 'Nothing is posted.'],
] as const

for (const [verb, status, summary, description] of decisions) {
  adjustmentRoutes.post(`${path}/${verb}`, 'account', {
    id: `${verb}Adjustment`,
    summary,
    description,
    params: MerchantAndId,
    body: NoBody,
    answer: AdjustmentAnswer,
    refusals: ['balance_insufficient', 'invalid_state', 'resource_not_found', 'second_person_required'],
    handle: async (context, request) => {
      const by = actorOf(request)
      const decide = async (tx: Tx): Promise<Adjustment> => {
        const adjustment = await decideAdjustment(tx, request.params, status, by)
        if (status === 'posted') await refuseOnePerson(context, tx, adjustment.draftedBy, by)
        return adjustment
      }
      return toAnswer(await actOnBehalf(context, request, decide, actOf(verb)))
    },
  })
}

adjustmentRoutes.post(`${path}/reverse`, 'account', {
  id: 'reverseAdjustment',
  summary: 'Draft the reversing entry of a posted adjustment',
  description: 'It is posted like any other adjustment.',
  params: MerchantAndId,
  body: { reference: Reference, reason: Reason },
  answer: AdjustmentAnswer,
  refusals: ['already_exists', 'invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const by = { ...request.body, bookedAt: context.clock(), draftedBy: actorOf(request) }
    const reverse = (tx: Tx) => reverseAdjustment(tx, request.params, by)
    return toAnswer(await actOnBehalf(context, request, reverse, actOf('reverse')))
  },
})

adjustmentRoutes.get('/ledger/adjustments', 'read', {
  id: 'listAdjustments',
  summary: 'List adjustments of the books of a mode',
  description: 'Newest first.',
  query: {
    ...PageQuery,
    ...ModeQuery,
    status: Type.Optional(Type.OneOf(adjustmentStatuses, 'Only those with this status.')),
  },
  answer: pageOf('adjustments', AdjustmentAnswer),
  exports: 'adjustments',
  handle: (context, { query: { status = null, mode = 'live', ...query } }) =>
    readPage('adjustments', query, (span) => listAdjustments(context, { mode, status, ...span }), toAnswer),
})
