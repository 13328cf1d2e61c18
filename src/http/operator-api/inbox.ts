import type { Static } from '../../operations/schema.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { mayDo } from '../../rules/members/access.ts'
import { assignTransfer } from '../../engine/transfers/assign-transfer.ts'
import { ignoreTransfer, previewSuggestions, recordDecision } from '../../engine/transfers/decisions/decide-transfer.ts'
import { getTransfer, readReports } from '../../engine/transfers/read.ts'
import { reverseTransfer } from '../../engine/transfers/reversals/reversals.ts'
import { hasTwoPeople, moneyDuties } from '../../engine/members/refuse-one-person.ts'
import { unassignTransfer } from '../../engine/transfers/unassign-transfer.ts'
import { actOnNamed, actorOf, secondOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { toDecisionEffect } from './decide-transfers.ts'
import type { RequisiteAndId } from '../../operations/fields.ts'
import { inbox } from '../../operations/inbox.ts'
import { toListedTransfer } from './transfers.ts'

type Key = Static<typeof RequisiteAndId>

const toAnswer = async (context: Context, key: Key) => toListedTransfer(await getTransfer(context, key))

/** One transfer, and decisions about it. */
export const inboxRoutes = bindOperations(inbox, {
  show: async (context, request) => {
    const [found, { senderName, ...reports }] = await Promise.all([
      getTransfer(context, request.params),
      readReports(context, request.params),
    ])
    const transfer = toListedTransfer(found)
    const effects = await previewSuggestions(context, request.params, found, {
      ...secondOf(context, request),
      note: null,
    })
    const suggestions = transfer.suggestions.map((suggestion, index) => {
      const effect = effects[index]
      if (!effect) return suggestion
      return { ...suggestion, ...('refused' in effect ? effect : toDecisionEffect(effect)) }
    })
    return { ...transfer, ...(mayDo(request.role, 'reveal') && { senderName }), ...reports, suggestions }
  },
  assign: async (context, request) => {
    const { currency } = await getTransfer(context, request.params)
    const shares = readBody((read) =>
      request.body.shares.map((share, index) => ({
        ...share,
        amount: share.amount === undefined ? null : read.amount(share, 'amount', currency, `shares.${index}.amount`),
      })),
    )
    const { note = null } = request.body
    const assign = async (tx: Tx): Promise<void> => {
      const decider = secondOf(context, request)
      const { made } = await assignTransfer(tx, request.params, shares, { ...decider, note })
      await recordDecision(tx, request.params, 'assign', made, decider.actor)
    }
    await actOnNamed(context, request, 'transfer.assign', assign, { shares, note })
    return toAnswer(context, request.params)
  },
  unassign: async (context, request) => {
    const decider = { ...secondOf(context, request), note: request.body.reason }
    await actOnNamed(context, request, 'transfer.unassign', (tx) => unassignTransfer(tx, request.params, decider))
    return toAnswer(context, request.params)
  },
  ignore: async (context, request) => {
    const { reason, otherMoney = false } = request.body
    const ignore = async (tx: Tx): Promise<void> => {
      await ignoreTransfer(tx, request.params, { ...secondOf(context, request), note: reason }, otherMoney)
      await recordDecision(tx, request.params, 'ignore', 1, actorOf(request))
    }
    await actOnNamed(context, request, 'transfer.ignore', ignore, { reason, otherMoney })
    return toAnswer(context, request.params)
  },
  reverse: async (context, request) => {
    const { bookedAt: booked, reason } = request.body
    const bookedAt = readBody((read) => read.booked(booked, 'bookedAt', context.clock()))
    const reverse = async (tx: Tx) => {
      const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
      return reverseTransfer(tx, request.params, { ...secondOf(context, request), reason, bookedAt, needsSecond })
    }
    await actOnNamed(context, request, 'transfer.reverse', reverse, { reason, bookedAt })
    return toAnswer(context, request.params)
  },
})
