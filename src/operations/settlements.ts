import { settlementStatuses } from '../rules/money/settlement.ts'
import { Id, PositiveAmount, Time, idOf, ofMerchant, Person, QuoteCurrency, Reason, Reference } from './fields.ts'
import { OwnerQuery, pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

export const SettlementStatus = Type.OneOf(settlementStatuses, {
  title: 'SettlementStatus',
  examples: ['paid'],
  description:
    '`requested`: the merchant asks for it; `draft`: an operator must still approve it; `approved`: is paid next. `failed` and `canceled` give the balance back.',
  tones: { requested: 'wait', draft: 'wait', approved: 'live', paid: 'good', failed: 'over', canceled: 'over' },
})

/** A settlement as its merchant sees it. */
export const SettlementDetails = Type.Titled('Settlement', {
  id: Id,
  reference: Type.Text('The reference of who drafted it, or asked for it.', 'settlement-2026-01'),
  status: SettlementStatus,
  'requestedBy?': presented(Type.Text('Who of the merchant asked for it, or its schedule.', 'merchant'), {
    kind: 'person',
    absent: 'an operator drafted it',
  }),
  currency: Type.String({ examples: ['USDT'] }),
  amount: Type.Number({ examples: [53.513513] }),
  destination: Type.Text(
    'Where the money is sent: label, address and kind.',
    'Main wallet: TJRabPrwbZy45sbavfcjinPJC18kjpRTv8 (USDT on TRON)',
  ),
  'destinationId?': Id,
  'externalReference?': presented(Type.Text('What identifies the payout. Present once it is paid.', '0x5f1d2c3b'), {
    heading: 'Payout',
  }),
  'failure?': Type.Text('Why it failed. Its amount is available again.', 'The wallet was closed.'),
  createdAt: Time,
  changedAt: Time,
})

export const SettlementAnswer = Type.Titled('OperatorSettlement', {
  ...ofMerchant,
  ...SettlementDetails.properties,
  secondPerson: presented(Type.Flag('Whether an operator other than its author must approve it.'), {
    heading: 'Needs another person',
  }),
  'unproven?': presented(Type.Number({ examples: [12.5] }), {
    description:
      'How much of it rests on money that only messages on phones have reported, while it is under way: what is proven is settled first.',
    heading: 'Not proven yet',
  }),
  'draftedBy?': presented(Person, {
    description: 'Who drafted it, or took up what the merchant asks for.',
    absent: 'nobody yet',
  }),
  'approvedBy?': presented(Person, { examples: ['operator:boris'], absent: 'nobody yet' }),
  'failingBy?': presented(Type.Text('Who would fail it; it goes on until another operator fails it, too.'), {
    kind: 'person',
  }),
})
export type SettlementAnswer = Static<typeof SettlementAnswer>

const SettlementWithEvents = Type.Titled('SettlementWithEvents', {
  ...SettlementAnswer.properties,
  events: Type.Array(Type.Object({ sequence: Type.Integer(), status: SettlementStatus, actor: Person, at: Time })),
})
export type SettlementWithEvents = Static<typeof SettlementWithEvents>

/** What a merchant sends to ask for a settlement. */
export const SettlementBody = {
  reference: Reference,
  'amount?': {
    ...PositiveAmount,
    description: 'Default: all that is available and need not wait.',
    examples: [5.25],
  },
  'currency?': QuoteCurrency('Currency of the balance. Default: your quote currency.'),
  destinationId: { ...Id, description: 'Where the money goes: one of your destinations that is `ready`.' },
}

/** A movement of a merchant's available balance. */
export const BalanceEntry = Type.Titled('BalanceEntry', {
  id: Id,
  kind: Type.Text('One of credit, assign, reverse, hold, release, adjust; more may be added.', 'credit'),
  currency: Type.String({ examples: ['USDT'] }),
  amount: Type.Number({
    description: 'Change of the available balance; below zero for a decrease.',
    examples: [53.513513],
  }),
  deducted: Type.Number({ description: 'Fee that was deducted; not part of `amount`.', examples: [0.540541] }),
  'paymentId?': Id,
  'orderId?': Type.String({ examples: ['order-1001'] }),
  'reference?': Type.Text('Reference of the settlement, decision or adjustment.', 'settlement-2026-01'),
  postedAt: Time,
})
export type BalanceEntry = Static<typeof BalanceEntry>

export const settlements = {
  about: 'Payouts to merchants from their balances.',
  examples: [
    'payin settlements create "Demo Shop" --reference 2026-01 --to "Main wallet"      (all that is available)',
    'payin settlements entries 2026-01 --merchant "Demo Shop"      (the payments in it)',
    'payin settlements approve 2026-01 --merchant "Demo Shop"',
    'payin settlements pay 2026-01 --merchant "Demo Shop" --reference 0x5f',
  ],
  operations: {
    create: operation('POST /settlements', 'account', {
      id: 'createSettlement',
      summary: 'Draft a settlement',
      description:
        'Of a live merchant, to one of its destinations that is ready; holds the amount immediately, so that nothing else can settle it. Credits of payments with `payoutPolicy: proven` wait until a statement or a feed has reported their money. Returns 201, or 200 if the reference is already known.',
      body: {
        merchantId: idOf('merchant'),
        reference: Reference,
        'currency?': QuoteCurrency('Currency of the balance. Default: the quote currency of the merchant.'),
        'amount?': {
          ...PositiveAmount,
          description: 'Exact amount. Default: everything available that need not wait for a proof.',
          examples: [53.513513],
        },
        destinationId: { ...idOf('destination'), description: 'Where the money goes.' },
      },
      answers: { 200: SettlementAnswer, 201: SettlementAnswer },
      refusals: ['already_exists', 'balance_insufficient', 'invalid_state'],
      command: { options: { destinationId: '--to' } },
    }),
    approve: operation('POST /settlements/{merchantId}/{id}/approve', 'account', {
      id: 'approveSettlement',
      summary: 'Approve a settlement',
      description:
        'Whoever approves what a merchant asks for is its author: if it is large, it becomes a `draft`. Another operator must approve a large settlement, or several that are large together within 24 hours. An account and a token do not count as two people, nor does a new account, nor one that the other operator invited or reset.',
      answer: SettlementAnswer,
      refusals: ['balance_insufficient', 'second_person_required'],
    }),
    pay: operation('POST /settlements/{merchantId}/{id}/pay', 'account', {
      id: 'paySettlement',
      summary: 'Record that a settlement was paid out',
      description: 'The merchant is notified.',
      body: {
        externalReference: Type.Printable(200, { description: 'What identifies the payout.', examples: ['0x5f…'] }),
      },
      answer: SettlementAnswer,
      refusals: ['already_exists', 'second_person_required'],
      command: { options: { externalReference: '--reference' } },
    }),
    fail: operation('POST /settlements/{merchantId}/{id}/fail', 'account', {
      id: 'failSettlement',
      summary: 'Fail a settlement',
      description:
        'Its amount is available again. One to which outgoing money is booked does not fail. Where two people may settle, an approved one is failed by the operator who drafted and approved it alone; otherwise it goes on, with `failingBy`, until another operator fails it, too.',
      body: { reason: Reason },
      answer: SettlementAnswer,
      refusals: ['already_exists', 'second_person_required'],
    }),
    list: operation('GET /settlements', 'read', {
      id: 'listAllSettlements',
      summary: 'List settlements of all merchants of a mode, or of one merchant',
      description: 'Newest first.',
      query: {
        ...OwnerQuery,
        'status?': presented(SettlementStatus, 'Only settlements with this status.'),
        ...PageQuery,
      },
      answer: pageOf('settlements', SettlementAnswer),
      command: {
        columns: ['reference', 'status', 'amount', 'unproven', 'merchantId', 'changedAt', 'draftedBy', 'id'],
        empty:
          'No such settlements. Draft one: payin settlements create <merchant> --reference 2026-01 --to "Main wallet"',
      },
    }),
    get: operation('GET /settlements/{merchantId}/{id}', 'read', {
      id: 'getSettlement',
      summary: 'Read a settlement with its events',
      description: 'The events are its status changes, and who made them.',
      answer: SettlementWithEvents,
    }),
    entries: operation('GET /settlements/{merchantId}/{id}/entries', 'read', {
      id: 'listSettlementEntries',
      summary: 'List the payments that a settlement pays out',
      description:
        'With all else that moved the available balance of the merchant since the settlement before it, such as reversals and adjustments; newest first. What a settlement of a part leaves, the next one pays out, too.',
      query: PageQuery,
      answer: pageOf('entries', BalanceEntry),
      exports: 'entries',
      command: {
        columns: ['orderId', 'kind', 'amount', 'deducted', 'reference', 'postedAt', 'paymentId'],
        empty: 'Nothing moved the balance since the settlement before it.',
      },
    }),
  },
} satisfies Noun<unknown>
