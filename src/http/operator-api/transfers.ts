import { type Static, Type } from '../../operations/schema.ts'
import type { Tx } from '../../engine/context.ts'
import { operatorChannel } from '../../rules/transfers/channel.ts'
import { type Criterion, type Verdict, verdicts } from '../../rules/transfers/evidence.ts'
import type { Suggestion } from '../../rules/transfers/suggest.ts'
import { minute } from '../../rules/time.ts'
import { partKinds, unusualTransfers } from '../../rules/transfers/transfer.ts'
import {
  countTransfers,
  listMatchingTransfers,
  type ListedTransferRow,
  type TransferFilter,
} from '../../engine/transfers/listing/read.ts'
import { asLoneReport } from '../../engine/members/refuse-one-person.ts'
import { maxTransfersAtOnce, type RecordedTransfer } from '../../engine/transfers/record-transfers.ts'
import { recordTyped } from '../../engine/transfers/record-typed.ts'
import { BankCode, Currency, Id, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { amountRefusals } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes.ts'
import { readFilter, readListPage, readSort, toPageEnd } from '../lists.ts'
import { filteredPageOf, FilterQuery } from '../../operations/lists.ts'
import { Notes, ofAnyMerchant, ofMerchant, ofRequisite, OrderOf } from '../../operations/operator-fields.ts'

/** A bank's clock may run this far ahead of ours. */
export const maxAheadMs = 5 * minute

const SenderNumber = Type.String({
  pattern: '^\\+?[0-9][0-9 ()-]{3,39}$',
  description: "Sender's phone, card or account number.",
  examples: ['+79991234567'],
})

const NewTransfer = Type.TitledExact('NewTransfer', {
  requisiteId: Id,
  amount: PositiveAmount,
  currency: Currency,
  bookedAt: { ...Time, description: 'When the bank booked it.' },
  bankReference: Type.Optional(
    Type.Printable(140, "The bank's own identifier, by which a second report of the transfer is recognised."),
  ),
  sender: Type.Optional(SenderNumber),
  senderName: Type.Optional(Type.Printable(200, 'Name of the sender at the bank: evidence, never enough on its own.')),
  senderBank: Type.Optional(BankCode, "Code of the sender's bank."),
  text: Type.Optional(Type.Printable(500, "The sender's text; an orderId in it is evidence for its payment.")),
})

const findingAbout = (what: string, verdict: Verdict, why: string) =>
  Type.Group(what, {
    verdict: Type.OneOf(verdicts, {
      description: '`unknown`: there is nothing to compare, or it says nothing.',
      examples: [verdict],
    }),
    why: Type.Text('Why, in words.', why),
  })

const Evidence = Type.Titled('MatchEvidence', {
  amount: findingAbout('The amount; only an exact one proves.', 'unknown', '43.07 less than is missing'),
  number: findingAbout("The sender's phone, card or account number.", 'unknown', 'the bank reports no number'),
  name: findingAbout('Name of the sender.', 'contradicts', 'sent by another name than that of its payer'),
  order: findingAbout('The order that the text of the transfer names.', 'unknown', 'the text names no order'),
  bank: findingAbout('Bank of the sender.', 'supports', 'sent from the bank that its payer chose'),
  time: findingAbout('When the bank booked it.', 'supports', 'booked in its time to pay'),
} satisfies Record<Criterion, unknown>)

const decision = {
  id: Id,
  ...ofRequisite,
  outcome: Type.Text('The result of matching, or of the last decision.', 'exact'),
  kind: Type.OneOf(partKinds, 'Where the money went; `duplicate` is the money of the transfer `duplicateOf`.'),
  ...ofAnyMerchant(),
  paymentId: Type.Optional(Id),
  orderId: OrderOf,
  reasons: Type.Array(Type.String()),
  duplicateOf: Type.Optional(
    Id,
    'The transfer on the same requisite, reported before, that is or may be the same money.',
  ),
  suggestions: Type.Rows('Payments to choose from while it waits in the inbox, best first.', {
    ...ofMerchant,
    paymentId: Id,
    orderId: Type.String(),
    amount: Type.Number({
      description: 'What the payment needs; for a credited one, its amount.',
      examples: [26_158.84],
    }),
    difference: Type.Number({
      description: 'How much more the transfer brings than that; negative: how much less.',
      examples: [-43.07],
    }),
    payer: Type.Optional(
      Type.Text('Its payer, as far as known: initials, and the masked number.', 'И. И., *******4567'),
    ),
    createdAt: { ...Time, description: 'When the payment was created.' },
    evidence: { ...Evidence, description: 'What each criterion says for or against the payment.' },
    split: Type.Optional(
      Type.Array(Type.Object({ merchantId: Id, paymentId: Id, orderId: Type.String(), amount: Type.Number() }), {
        description: 'Several payments of one payer that the money pays together: assign it in these shares.',
      }),
    ),
  }),
}

const RecordedAnswer = Type.Titled('RecordedTransfer', {
  ...decision,
  alreadyKnown: Type.Flag('It was reported before; nothing changed.'),
})

/** The result of reporting a transfer. */
export type RecordedAnswer = Static<typeof RecordedAnswer>

export const ListedTransfer = Type.Titled('Transfer', {
  ...decision,
  amount: Type.Number(),
  currency: Type.String(),
  bookedAt: Time,
  bookedOn: Type.Optional(
    Type.Text(
      "The booking day in the account's zone, if the bank reported no time; `bookedAt` is then its last moment.",
      '2026-01-31',
    ),
  ),
  recordedAt: Time,
  reportedBy: Type.Optional(
    Type.Text(
      'The operator who reported it alone, called it separate money or returned it from the ignored money, beyond what one person may: another one decides about it.',
      'operator:anna',
    ),
  ),
  source: Type.String(),
  bankReference: Type.Optional(Type.String()),
  sender: Type.Optional(Type.Text('Masked.', '*******4567')),
  senderName: Type.Optional(Type.Text('Initials; for an organisation, the whole name.', 'И. И.')),
  reversedAmount: Type.Optional(Type.Number({ description: 'How much of it the bank has taken back.' })),
  reversedAt: Type.Optional(Time, 'When the bank booked taking back the last of it.'),
  parked: Type.Optional(
    Type.Group('It waits, and an operator has put it aside for later.', {
      at: Time,
      by: Type.String(),
      why: Type.Optional(Type.String()),
    }),
  ),
  notes: Type.Optional(Notes, 'What operators wrote about it, oldest first; only when one transfer is read.'),
  parts: Type.Rows('Where its money went; they add up to its amount.', {
    kind: decision.kind,
    amount: Type.Number(),
    reversedAmount: Type.Optional(
      Type.Number({ description: 'How much of it the bank took back after it was credited or decided on.' }),
    ),
    merchantId: decision.merchantId,
    merchantName: decision.merchantName,
    paymentId: decision.paymentId,
    orderId: decision.orderId,
    outcome: decision.outcome,
    by: Type.Text('Who decided.', 'service'),
    note: Type.Optional(Type.String()),
  }),
})

export type ListedTransfer = Static<typeof ListedTransfer>

const idsOf = ({ merchantId, paymentId }: { readonly merchantId: string | null; readonly paymentId: string | null }) =>
  merchantId === null || paymentId === null ? {} : { merchantId, paymentId }

const toWireSuggestion = ({ split, amount, difference, ...suggestion }: Suggestion) =>
  wire.fields({
    ...suggestion,
    amount: Number(amount),
    difference: Number(difference),
    split: split?.map((share) => ({ ...share, amount: Number(share.amount) })) ?? null,
  })

const toDecision = (row: Omit<RecordedTransfer, 'alreadyKnown' | 'parts'>) => ({
  ...{ id: row.id, requisiteId: row.requisiteId, outcome: row.outcome, kind: row.kind },
  ...idsOf(row),
  reasons: [...row.reasons],
  ...(row.duplicateOf === null ? {} : { duplicateOf: row.duplicateOf }),
  suggestions: row.suggestions.map(toWireSuggestion),
})

/** The wire form of a transfer. */
export const toListedTransfer = (row: ListedTransferRow): ListedTransfer =>
  wire.fields({
    ...toDecision({ ...row, suggestions: row.suggestions ?? [] }),
    ...{ currency: row.currency, source: row.source, bankReference: row.bankReference },
    ...{ bookedAt: row.bookedAt, bookedOn: row.bookedOn, recordedAt: row.recordedAt, reversedAt: row.reversedAt },
    amount: wire.amount(row.amount, row.currency),
    sender: row.senderMasked === '' ? null : row.senderMasked,
    senderName: row.senderNameMasked,
    reversedAmount: row.reversedAmount === 0n ? null : wire.amount(row.reversedAmount, row.currency),
    reportedBy: row.secondPerson ? row.reportedBy : null,
    parked:
      row.parkedAt === null || row.parkedBy === null
        ? null
        : wire.fields({ at: wire.time(row.parkedAt), by: row.parkedBy, why: row.parkedBecause }),
    parts: row.parts.map(({ kind, outcome, by, note, ...part }) =>
      wire.fields({
        ...{ kind, outcome, by, note, ...idsOf(part) },
        amount: wire.amount(part.amount, row.currency),
        reversedAmount: part.reversedAmount === 0n ? null : wire.amount(part.reversedAmount, row.currency),
      }),
    ),
  })

/** Incoming transfers. */
export const transferRoutes = routesForOperators()

transferRoutes.post('/transfers', 'decide', {
  id: 'recordTransfers',
  summary: 'Record incoming transfers',
  description:
    'Records all transfers or none. Each is matched immediately, and payments are credited in the same transaction. A transfer that was reported before changes nothing. What an operator alone reports within 24 hours beyond a bound (`PAYIN_LONE_REPORTS_ABOVE`) waits in the inbox for another operator, or for the report of the bank. Refused with `503 overloaded` and `Retry-After` while a statement that reported one of them is being withdrawn.',
  bodyLimit: 1024 * 1024,
  body: { transfers: Type.Array(NewTransfer, { minItems: 1, maxItems: maxTransfersAtOnce }) },
  answer: { transfers: Type.Array(RecordedAnswer) },
  refusals: [...amountRefusals],
  handle: async (context, request) => {
    const latest = context.clock() + maxAheadMs
    const reported = readBody((read) =>
      request.body.transfers.map((transfer, index) => {
        const field = `transfers.${index}`
        const bookedAt = read.instant(transfer.bookedAt, `${field}.bookedAt`)
        if (bookedAt > latest) read.wrong(`${field}.bookedAt`, 'is in the future.')
        return {
          requisiteId: transfer.requisiteId,
          currency: transfer.currency,
          amount: read.amount(transfer, 'amount', transfer.currency, `${field}.amount`),
          bookedAt,
          source: 'operator',
          channel: operatorChannel,
          referenceKind: 'operator',
          bankReference: transfer.bankReference ?? null,
          sender: transfer.sender ?? null,
          senderName: transfer.senderName ?? null,
          senderBank: transfer.senderBank ?? null,
          text: transfer.text ?? null,
        }
      }),
    )
    const record = async (tx: Tx): Promise<RecordedTransfer[]> =>
      recordTyped(tx, reported, await asLoneReport(context, tx, actorOf(request)))
    const recorded = await actOnBehalf(context, request, record, {
      action: 'transfers.record',
      subject: (rows) => (rows.length === 1 ? `transfer:${rows[0]?.id}` : 'transfers'),
      details: (rows) => ({
        transfers: rows.map(({ id, outcome, alreadyKnown }) => ({ id, outcome, alreadyKnown })),
      }),
    })
    return { transfers: recorded.map((row) => ({ ...toDecision(row), alreadyKnown: row.alreadyKnown })) }
  },
})

const TransferFilterQuery = {
  ...FilterQuery,
  merchantId: Type.Optional(Id, "Only those for the merchant's payments, or on one of its own requisites."),
  unmatched: Type.Optional(Type.OneOf(['true', 'false'], 'Only those waiting in the inbox.')),
  parked: Type.Optional(Type.OneOf(['true', 'false'], 'Only those in the inbox that are parked, or that are not.')),
  kind: Type.Optional(Type.OneOf(partKinds, 'Only those with money that went here.')),
  sender: Type.Optional(SenderNumber, "The whole number of the sender's phone, card or account."),
  statementId: Type.Optional(Id, 'Only those that this statement reports.'),
  unusual: Type.Optional(
    Type.OneOf(
      unusualTransfers,
      "`amount`: not the payment's; `late`; `paid-again`: for a paid payment; `disputed`: for one that is or was in dispute; `duplicate`: may be or is the money of another transfer.",
    ),
  ),
}

type TransferFilterQuery = Static<ReturnType<typeof Type.Object<typeof TransferFilterQuery>>>

const readTransferFilter = (query: TransferFilterQuery): TransferFilter => {
  const { unmatched, parked, kind = null, sender = null, statementId = null, unusual = null } = query
  const waiting = {
    unmatched: unmatched === 'true' || parked !== undefined,
    parked: parked === undefined ? null : parked === 'true',
  }
  return { ...readFilter(query), ...waiting, kind, sender, statementId, unusual }
}

transferRoutes.get('/transfers', 'read', {
  id: 'listTransfers',
  summary: 'List incoming transfers',
  description: 'Newest first by default; times are when they were recorded.',
  query: TransferFilterQuery,
  answer: filteredPageOf('transfers', ListedTransfer),
  exports: {
    rows: 'transfers',
    columns:
      'id,requisiteId,currency,amount,reversedAmount,bookedAt,recordedAt,kind,outcome,merchantId,paymentId,duplicateOf,sender,senderName,bankReference,source',
  },
  handle: async (context, { query }) => {
    const filter = readTransferFilter(query)
    const sort = readSort(query, 'newest')
    const [{ transfers, ...end }, count] = await Promise.all([
      listMatchingTransfers(context, filter, readListPage(query, sort)),
      query.count === undefined ? null : countTransfers(context, filter),
    ])
    return { transfers: transfers.map(toListedTransfer), ...toPageEnd(sort, end, { currency: filter.currency, count }) }
  },
})
