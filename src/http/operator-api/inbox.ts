import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { assignTransfer } from '../../transfers/assign-transfer.ts'
import { ignoreTransfer } from '../../transfers/ignore-transfer.ts'
import { findTransferOf } from '../../transfers/list-transfers.ts'
import { reverseTransfer } from '../../transfers/reversals/reverse-transfer.ts'
import { undoTransfer } from '../../transfers/undo-transfer.ts'
import type { App } from '../app.ts'
import { PositiveAmount } from '../amounts.ts'
import { PrintableText, Time } from '../fields.ts'
import { Id } from '../ids.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { ListedTransfer, maxAheadMs, toListedTransfer } from './transfers.ts'

const Params = Type.Object({ requisiteId: Id, id: Id })
type TransferRequest = FastifyRequest<{ Params: { requisiteId: string; id: string } }>

const transferOf = async (context: Context, { params }: Pick<TransferRequest, 'params'>) => {
  const transfer = await findTransferOf(context, params.requisiteId, params.id)
  if (!transfer) throw new Refusal('resource_not_found', 'There is no such transfer.')
  return transfer
}

const actOf = (action: string, { params }: Pick<TransferRequest, 'params'>, details: object) => ({
  action,
  subject: `transfer:${params.requisiteId}/${params.id}`,
  details: { ...details },
})

const Reason = PrintableText(500, { description: 'Why.' })

/** What the operator says of a transfer that may repeat another one. */
const OtherMoney = Type.Boolean({
  description:
    'A transfer that `mayRepeat` another one is that one, unless this is true: then it is money of its own, and is set aside.',
})

const registerAssign = (app: App, context: Context): void => {
  app.post(
    '/transfers/:requisiteId/:id/assign',
    {
      schema: {
        ...operation(
          'assignTransfer',
          'Give a transfer of the inbox to a payment, or split it over several',
          'Each payment is credited as if the bank had reported its share; what is left goes on waiting. A payment that is credited already keeps its share as an overpayment.',
        ),
        params: Params,
        body: Type.Object(
          {
            shares: Type.Array(
              Type.Object({ merchantId: Id, paymentId: Id, amount: PositiveAmount }, { additionalProperties: false }),
              { minItems: 1, maxItems: 50 },
            ),
            note: Type.Optional(Reason),
          },
          { additionalProperties: false },
        ),
        response: { 200: ListedTransfer, ...problems(409, 422) },
      },
    },
    async (request) => {
      const { currency } = await transferOf(context, request)
      const read = readBody()
      const shares = request.body.shares.map((share, index) => ({
        ...share,
        amount: read.amount(share, 'amount', currency, `shares.${index}.amount`),
      }))
      read.finish()
      const { note = null } = request.body
      await actOnBehalf(context, request, actOf('transfer.assign', request, { shares, note }), (tx) =>
        assignTransfer(tx, request.params, shares, { actor: actorOf(request), note }),
      )
      return toListedTransfer(await transferOf(context, request))
    },
  )
}

const registerReverse = (app: App, context: Context): void => {
  app.post(
    '/transfers/:requisiteId/:id/reverse',
    {
      schema: {
        ...operation(
          'reverseTransfer',
          'Record that the bank took a transfer back',
          'What waits leaves suspense; a credit is undone by reversing entries, and its payment stays paid. Again, or when the bank reports it, too: nothing more.',
        ),
        params: Params,
        body: Type.Object(
          {
            bookedAt: Type.Optional({ ...Time, description: 'When the bank booked it; now unless told.' }),
            reason: Reason,
          },
          { additionalProperties: false },
        ),
        response: { 200: ListedTransfer, ...problems(409) },
      },
    },
    async (request) => {
      const { bookedAt: booked, reason } = request.body
      const read = readBody()
      const bookedAt = booked === undefined ? context.clock() : read.instant(booked, 'bookedAt')
      if (bookedAt > context.clock() + maxAheadMs) read.wrong('bookedAt', 'is in the future.')
      read.finish()
      const by = { actor: actorOf(request), reason, bookedAt }
      await actOnBehalf(context, request, actOf('transfer.reverse', request, { reason, bookedAt }), (tx) =>
        reverseTransfer(tx, request.params, by),
      )
      return toListedTransfer(await transferOf(context, request))
    },
  )
}

/** `GET /transfers/{requisiteId}/{id}`, and `POST …/assign`, `…/ignore`, `…/undo`, `…/reverse`. */
export const registerInbox = (app: App, context: Context): void => {
  registerAssign(app, context)
  registerReverse(app, context)
  app.get(
    '/transfers/:requisiteId/:id',
    {
      schema: {
        ...operation('getTransfer', 'Read a transfer with its parts'),
        params: Params,
        response: { 200: ListedTransfer, ...problems() },
      },
    },
    async (request) => toListedTransfer(await transferOf(context, request)),
  )
  app.post(
    '/transfers/:requisiteId/:id/ignore',
    {
      schema: {
        ...operation(
          'ignoreTransfer',
          'Say that a transfer belongs to no payment',
          'Its money is set aside in the ledger. One that `mayRepeat` another transfer is thereby the same money, which leaves the ledger.',
        ),
        params: Params,
        body: Type.Object({ reason: Reason, otherMoney: Type.Optional(OtherMoney) }, { additionalProperties: false }),
        response: { 200: ListedTransfer, ...problems(409) },
      },
    },
    async (request) => {
      const { reason, otherMoney = false } = request.body
      await actOnBehalf(context, request, actOf('transfer.ignore', request, { reason, otherMoney }), (tx) =>
        ignoreTransfer(tx, request.params, { actor: actorOf(request), note: reason }, otherMoney),
      )
      return toListedTransfer(await transferOf(context, request))
    },
  )
  app.post(
    '/transfers/:requisiteId/:id/undo',
    {
      schema: {
        ...operation(
          'undoTransfer',
          'Take a transfer back into the inbox',
          'By reversing entries. Refused for money that a payment was credited for, or that is in dispute.',
        ),
        params: Params,
        body: Type.Object({ reason: Reason }, { additionalProperties: false }),
        response: { 200: ListedTransfer, ...problems(409) },
      },
    },
    async (request) => {
      const { reason } = request.body
      await actOnBehalf(context, request, actOf('transfer.undo', request, { reason }), (tx) =>
        undoTransfer(tx, request.params, { actor: actorOf(request), note: reason }),
      )
      return toListedTransfer(await transferOf(context, request))
    },
  )
}
