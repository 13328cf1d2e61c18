import { type Static, Type } from '../../operations/schema.ts'
import type { Context } from '../../engine/context.ts'
import { Refusal } from '../../rules/refusal.ts'
import { assignTransfer } from '../../engine/transfers/assign-transfer.ts'
import { ignoreTransfer, previewSuggestions } from '../../engine/transfers/decisions/decide-transfer.ts'
import { recordDecision } from '../../engine/transfers/decisions/record-decision.ts'
import { findTransfer, readReports } from '../../engine/transfers/read.ts'
import { addNote, listNotes } from '../../engine/transfers/notes/notes.ts'
import { reverseTransfer } from '../../engine/transfers/reversals/reversals.ts'
import { hasTwoPeople, moneyDuties } from '../../engine/members/has-two-people.ts'
import { unassignTransfer } from '../../engine/transfers/unassign-transfer.ts'
import { BankCode, Id, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { actorOf, secondOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { amountRefusals } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes.ts'
import { decisionEffect, toDecisionEffect } from './decision-effect.ts'
import { decisionsAbout } from './decisions-about.ts'
import { NoteBody, RequisiteAndId, toNotes, Reason } from '../../operations/operator-fields.ts'
import { ListedTransfer, maxAheadMs, toListedTransfer } from './transfers.ts'

type Key = Static<typeof RequisiteAndId>

const getTransfer = async (context: Context, { requisiteId, id }: Key) => {
  const transfer = await findTransfer(context, requisiteId, id)
  if (!transfer) throw new Refusal('resource_not_found', 'There is no such transfer.')
  return transfer
}

const toAnswer = async (context: Context, key: Key): Promise<ListedTransfer> => ({
  ...toListedTransfer(await getTransfer(context, key)),
  notes: toNotes(await listNotes(context, key)),
})

const decide = decisionsAbout('transfer', toAnswer)

const TransferDetails = Type.Titled('TransferDetails', {
  ...ListedTransfer.properties,
  suggestions: Type.Rows(
    'Payments to choose from while it waits in the inbox, best first, each with what assigning it as suggested would do.',
    {
      ...ListedTransfer.properties.suggestions.items.properties,
      ...decisionEffect,
      refused: Type.Optional(Type.Text('Reason it can no longer be assigned that way.')),
    },
  ),
  text: Type.Optional(Type.Text("The sender's text; long numbers in it are masked.")),
  senderBank: Type.Optional(BankCode),
  channel: Type.Optional(Type.Text('How it was first reported: a kind of file, a feed, or an operator.', 'camt.053')),
  statements: Type.Array(Type.Object({ statementId: Id, fileName: Type.String(), line: Type.Integer() }), {
    description: 'The statement lines that report it.',
  }),
})

/** A transfer with its text and the statements that report it. */
export type TransferDetails = Static<typeof TransferDetails>

/** One transfer, and decisions about it. */
export const inboxRoutes = routesForOperators()

inboxRoutes.get('/transfers/:requisiteId/:id', 'read', {
  id: 'getTransfer',
  summary: 'Read a transfer with its parts, notes, text and the statements that report it',
  description: 'Everything known about it.',
  params: RequisiteAndId,
  answer: TransferDetails,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const [transfer, reports] = await Promise.all([
      toAnswer(context, request.params),
      readReports(context, request.params),
    ])
    const effects = await previewSuggestions(context, request.params, await getTransfer(context, request.params), {
      ...secondOf(context, request),
      note: null,
    })
    const suggestions = transfer.suggestions.map((suggestion, index) => {
      const effect = effects[index]
      if (!effect) return suggestion
      return { ...suggestion, ...('refused' in effect ? effect : toDecisionEffect(effect)) }
    })
    return { ...transfer, ...wire.fields(reports), suggestions }
  },
})

/** Schema of a payment's share of a transfer. */
export const Share = Type.TitledExact('TransferShare', {
  merchantId: Id,
  paymentId: Id,
  amount: Type.Optional(PositiveAmount, 'Exact amount; one share may leave it out and gets whatever remains.'),
})

inboxRoutes.post('/transfers/:requisiteId/:id/assign', 'decide', {
  id: 'assignTransfer',
  summary: 'Assign a transfer in the inbox to a payment, or split it over several',
  description:
    'Each payment is credited as if the bank had reported its share; the rest stays in the inbox. A payment that is already credited keeps its share as an overpayment.',
  params: RequisiteAndId,
  body: {
    shares: Type.Array(Share, { minItems: 1, maxItems: 50 }),
    note: Type.Optional(Reason),
  },
  answer: ListedTransfer,
  refusals: [
    ...amountRefusals,
    ...(['invalid_state', 'payment_not_found', 'resource_not_found', 'second_person_required'] as const),
  ],
  handle: async (context, request) => {
    const { currency } = await getTransfer(context, request.params)
    const shares = readBody((read) =>
      request.body.shares.map((share, index) => ({
        ...share,
        amount: share.amount === undefined ? null : read.amount(share, 'amount', currency, `shares.${index}.amount`),
      })),
    )
    const { note = null } = request.body
    return decide(context, request, 'assign', { shares, note }, async (tx, key) => {
      const decider = secondOf(context, request)
      const { made } = await assignTransfer(tx, key, shares, { ...decider, note })
      await recordDecision(tx, key, 'assign', made, decider.actor)
    })
  },
})

inboxRoutes.post('/transfers/:requisiteId/:id/unassign', 'decide', {
  id: 'unassignTransfer',
  summary: 'Return a transfer to the inbox',
  description:
    'Posts reversing entries, whoever decided about the transfer. Refused for money that has been credited to a payment or is in dispute. Ignored money beyond what one operator may use again within 24 hours (`PAYIN_LONE_REPORTS_ABOVE`) then waits for another operator, who alone may assign it.',
  params: RequisiteAndId,
  body: { reason: Reason },
  answer: ListedTransfer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { reason } = request.body
    return decide(context, request, 'unassign', { reason }, (tx) =>
      unassignTransfer(tx, request.params, { ...secondOf(context, request), note: reason }),
    )
  },
})

inboxRoutes.post('/transfers/:requisiteId/:id/ignore', 'decide', {
  id: 'ignoreTransfer',
  summary: 'Say that a transfer belongs to no payment',
  description:
    'Its money is set aside in the ledger. For a possible duplicate, this confirms that it is the same money as the transfer `duplicateOf`: it leaves the ledger.',
  params: RequisiteAndId,
  body: {
    reason: Reason,
    otherMoney: Type.Optional(
      Type.Flag('The possible duplicate is separate money after all, and is set aside; default: false.'),
    ),
  },
  answer: ListedTransfer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { reason, otherMoney = false } = request.body
    return decide(context, request, 'ignore', { reason, otherMoney }, async (tx, key) => {
      const actor = actorOf(request)
      await ignoreTransfer(tx, key, { ...secondOf(context, request), note: reason }, otherMoney)
      await recordDecision(tx, key, 'ignore', 1, actor)
    })
  },
})

inboxRoutes.post('/transfers/:requisiteId/:id/reverse', 'decide', {
  id: 'reverseTransfer',
  summary: 'Record that the bank took a transfer back',
  description:
    'Waiting money leaves suspense; a credit is reversed in the ledger, and its payment stays paid. Recording it again changes nothing, nor does a later report by the bank.',
  params: RequisiteAndId,
  body: {
    bookedAt: Type.Optional(Time, 'When the bank booked it; default: now.'),
    reason: Reason,
  },
  answer: ListedTransfer,
  refusals: [...amountRefusals, 'invalid_state', 'resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
    const { bookedAt: booked, reason } = request.body
    const bookedAt = readBody((read) => {
      const at = booked === undefined ? context.clock() : read.instant(booked, 'bookedAt')
      if (at > context.clock() + maxAheadMs) read.wrong('bookedAt', 'is in the future.')
      return at
    })
    return decide(context, request, 'reverse', { reason, bookedAt }, async (tx) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return reverseTransfer(tx, request.params, { ...secondOf(context, request), reason, bookedAt, needsSecond })
    })
  },
})

inboxRoutes.post('/transfers/:requisiteId/:id/notes', 'support', {
  id: 'addTransferNote',
  summary: 'Write a note about a transfer',
  description: 'Only operators see notes. Notes cannot be deleted.',
  params: RequisiteAndId,
  body: NoteBody,
  answer: ListedTransfer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { text } = request.body
    return decide(context, request, 'note', { text }, (tx, key) => addNote(tx, key, actorOf(request), text))
  },
})
