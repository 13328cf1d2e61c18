import { type Static, Type } from '../../operations/schema.ts'
import { mayShareSlot, paymentTypes } from '../../rules/payments/payment.ts'
import {
  methodRules,
  type PaymentMethod,
  paymentMethods,
  scopedMethods,
  transferScopes,
} from '../../rules/values/payment-method.ts'
import type { RequisiteVerdict } from '../../rules/requisites/requisite.ts'
import { explainAllocation, forecastSlots } from '../../engine/requisites/explain-allocation.ts'
import { getProfile, isPoolContested, merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { BankCode, Currency, Id, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { readBody } from '../routes/read-body.ts'
import { amountRefusals } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes/routes.ts'
import { ofRequisite } from '../../operations/operator-fields.ts'

const AskedType = Type.Optional(
  Type.OneOf(
    paymentTypes,
    'Type of the payment, which decides whether it may share an equal amount; absent: `direct`.',
  ),
)

/** How many requisites an explanation lists one by one. */
const shownVerdicts = 50

const Verdict = Type.Titled('AllocationVerdict', {
  ...ofRequisite,
  number: Type.Text('Masked.'),
  bankIssuer: Type.String(),
  method: Type.OneOf(paymentMethods),
  currency: Type.String(),
  refused: Type.Optional(Type.Text('Why it cannot be chosen; absent if it can.', 'slot-taken')),
  hasOpenPayment: Type.Flag('Whether it has an open payment: requisites without one are chosen first.'),
  room: Type.Whole('What is left of its tightest limit, in tenths (0–10).'),
  held: Type.Optional(
    Type.Object({
      payments: Type.Whole('How many payments hold exactly this amount on it.'),
      until: Time,
      shared: Type.Flag('Whether further payments that share equal amounts may hold it, too.'),
    }),
  ),
})

const Explanation = Type.Object({
  chosenId: Type.Optional(Id),
  counts: Type.Record(Type.String(), Type.Integer(), {
    description: 'Number of requisites by the reason for refusing them; `free` counts the others.',
    examples: [{ free: 12, 'slot-taken': 1, 'other-method': 30 }],
  }),
  verdicts: Type.Array(Verdict),
})

/** Which requisite a payment would get, and why not the others. */
export type Explanation = Static<typeof Explanation>

const rank = (verdict: RequisiteVerdict, chosenId: string | null): number => {
  if (verdict.requisite.id === chosenId) return 0
  if (verdict.refused === null) return 1
  // Requisites of another method, bank or currency explain the least.
  return verdict.refused.startsWith('other-') ? 3 : 2
}

/** Which requisite a payment would get now, and how many could take given amounts. */
export const allocationRoutes = routesForOperators()

allocationRoutes.post('/requisites/explain', 'read', {
  id: 'explainAllocation',
  summary: 'Explain which requisite a payment would get',
  description: `Changes nothing. Counts the reasons for all requisites, and lists the first ${shownVerdicts} one by one.`,
  body: {
    merchantId: Id,
    type: AskedType,
    method: Type.OneOf(paymentMethods),
    currency: Currency,
    amount: PositiveAmount,
    bankIssuer: Type.Optional(BankCode),
    transferScope: Type.Optional(Type.OneOf(transferScopes)),
  },
  answer: Explanation,
  refusals: [...amountRefusals, 'resource_not_found', 'transfer_scope_not_allowed'],
  handle: async (context, request) => {
    const { merchantId, type = 'direct', method, currency, bankIssuer = null } = request.body
    const { transferScope } = methodRules[method]
    const amount = readBody((read) => {
      const minor = read.amount(request.body, 'amount', currency)
      if (transferScope === null && request.body.transferScope !== undefined) {
        const message = `is allowed with method ${scopedMethods.join(', ')} only.`
        read.wrong('transferScope', message, 'transfer_scope_not_allowed')
      }
      return minor
    })
    const { merchant, terms } = await getProfile(context, merchantId)
    const { mode, settings } = merchant
    const ownOnly = settings.ownRequisitesOnly
    const contested = isPoolContested(await context.catalog.get(merchantDirectory), merchantId)
    const mayShare = mayShareSlot(type, terms[method])
    const kind = { mode, method, currency, transferScope, bankIssuer, amount } as const
    const wish = { merchantId, ownOnly, isPoolContested: contested, mayShare, ...kind }
    const { chosenId, verdicts } = await explainAllocation(context, wish)
    const counts = Map.groupBy(verdicts, (verdict) => verdict.refused ?? 'free')
    const shown = verdicts.toSorted((a, b) => rank(a, chosenId) - rank(b, chosenId)).slice(0, shownVerdicts)
    return wire.fields({
      chosenId,
      counts: Object.fromEntries(counts.entries().map(([reason, members]) => [reason, members.length])),
      verdicts: shown.map(({ requisite, refused, hasOpenPayment, room, held }) => ({
        requisiteId: requisite.id,
        number: requisite.numberMasked,
        bankIssuer: requisite.bankIssuer,
        method: requisite.method,
        currency: requisite.currency,
        ...(refused === null ? {} : { refused }),
        hasOpenPayment,
        room,
        ...(held === null
          ? {}
          : { held: { payments: held.holders, until: wire.time(held.heldUntil), shared: held.shares } }),
      })),
    })
  },
})

/** Most amounts in one forecast. */
const maxAmounts = 20

const Forecast = Type.Object({
  method: Type.OneOf(paymentMethods),
  bankIssuer: BankCode,
  amount: Type.Number(),
  requisites: Type.Whole('Requisites that serve this merchant with this method and bank.'),
  free: Type.Whole('Those that could take a payment of this amount now.'),
  refused: Type.Record(Type.String(), Type.Integer(), {
    description: 'The others by reason.',
    examples: [{ 'slot-taken': 3, 'day-limit': 1 }],
  }),
  nextFreeAt: Type.Optional(
    Time,
    'When the next slot of this amount is expected to be free; earlier if its payment is closed.',
  ),
})

/** How many requisites of a method and bank could take an amount now. */
export type Forecast = Static<typeof Forecast>

allocationRoutes.post('/requisites/forecast', 'read', {
  id: 'forecastSlots',
  summary: 'Forecast the free slots of a merchant by method, bank and amount',
  description: 'Changes nothing. Follows the same rules as the allocation.',
  body: {
    merchantId: Id,
    type: AskedType,
    currency: Currency,
    amounts: Type.Array(PositiveAmount, { minItems: 1, maxItems: maxAmounts }),
    method: Type.Optional(Type.OneOf(paymentMethods)),
  },
  answer: { forecast: Type.Array(Forecast) },
  refusals: [...amountRefusals, 'resource_not_found'],
  handle: async (context, request) => {
    const { merchantId, type = 'direct', currency, amounts: asked, method } = request.body
    const amounts = readBody((read) =>
      asked.map((_, index) => read.amount(asked, String(index), currency, `amounts.${index}`)),
    )
    const { merchant, terms } = await getProfile(context, merchantId)
    const { mode, settings } = merchant
    const methods = method === undefined ? paymentMethods : [method]
    const wanted = { methods, currency, amounts: [...new Set(amounts)] }
    const mayShare = (each: PaymentMethod): boolean => mayShareSlot(type, terms[each])
    const kind = { merchantId, mode, ownOnly: settings.ownRequisitesOnly }
    const rows = await forecastSlots(context, kind, mayShare, wanted)
    return {
      forecast: rows.map(({ amount, refused, ...row }) =>
        wire.fields({ ...row, amount: wire.amount(amount, currency), refused: Object.fromEntries(refused) }),
      ),
    }
  },
})
