import { listReconciliations, readDay } from '../../engine/ledger/closing-balances/read.ts'
import { holdSharing } from '../../engine/requisites/bindings/binding.ts'
import { recordClosingBalance } from '../../engine/ledger/closing-balances/record-closing-balance.ts'
import type { Tx } from '../../engine/context.ts'
import { hasTwoPeople, moneyDuties } from '../../engine/members/has-two-people.ts'
import { Refusal } from '../../rules/refusal.ts'
import { wire } from '../../operations/fields.ts'
import { pageSize } from '../routes/lists.ts'
import { reconciliation } from '../../operations/reconciliation.ts'
import { actOnBehalf, actorOf, secondOf } from '../access/act-on-behalf.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { readBody } from '../routes/read-body.ts'
import { setOpeningBalance } from '../../engine/ledger/opening-balances/set-opening-balance.ts'

/** Names in a refusal which of several closing balances it is about. */
const atBalance = (error: unknown, index: number): unknown => {
  if (!(error instanceof Refusal)) return error
  const { code, message, details } = error
  const errors = details.errors ?? [{ field: 'requisiteId', code, message }]
  const named = errors.map((each) => ({ ...each, field: `closingBalances.${index}.${each.field}` }))
  return new Refusal(code, `closingBalances.${index}: ${message}`, { errors: named })
}

type Reconciled = Awaited<ReturnType<typeof listReconciliations>>[number]

const toDay = ({ closing, ledger, possibleDuplicates, currency, ...row }: Reconciled) =>
  wire.fields({
    ...{ ...row, currency },
    closing: wire.amount(closing, currency),
    ledger: wire.amount(ledger, currency),
    difference: wire.amount(closing - ledger, currency),
    possibleDuplicates: wire.amount(possibleDuplicates, currency),
  })

/** Opening and closing balances of banks, compared with the ledger. */
export const reconciliationRoutes = bindNoun(reconciliation, {
  open: async (context, request) => {
    const { id: requisiteId } = request.params
    const { day, currency, reason } = request.body
    const balance = readBody((read) => read.amount(request.body, 'balance', currency))
    const details = { day, currency, balance, reason }
    const proposed = (isSet: boolean) => (isSet ? {} : { proposed: true })
    const isSet = await actOnBehalf(
      context,
      request,
      async (tx) => {
        const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
        const sharing = (await holdSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
        const wanted = { requisiteId, ...details, sharing, setBy: actorOf(request) }
        return setOpeningBalance(tx, wanted, { ...secondOf(context, request), needsSecond })
      },
      {
        action: 'opening-balance.set',
        subject: `requisite:${requisiteId}`,
        details: (set: boolean) => ({ ...details, ...proposed(set) }),
      },
    )
    return { requisiteId, day, ...proposed(isSet) }
  },
  close: async (context, request) => {
    const { id: requisiteId, day } = request.params
    const { currency, source = 'operator' } = request.body
    const balance = readBody((read) => read.amount(request.body, 'balance', currency))
    const details = { day, currency, balance, source }
    const act = { action: 'closing-balance.set', subject: `requisite:${requisiteId}`, details }
    await actOnBehalf(
      context,
      request,
      (tx) => recordClosingBalance(tx, { requisiteId, ...details }, actorOf(request)),
      act,
    )
    return { requisiteId, day }
  },
  'close-many': async (context, request) => {
    const wanted = readBody((read) =>
      request.body.closingBalances.map((each, index) => ({
        ...each,
        source: each.source ?? 'operator',
        balance: read.amount(each, 'balance', each.currency, `closingBalances.${index}.balance`),
      })),
    )
    const record = async (tx: Tx): Promise<void> => {
      for (const [index, each] of wanted.entries()) {
        await recordClosingBalance(tx, each, actorOf(request)).catch((error: unknown) => {
          throw atBalance(error, index)
        })
      }
    }
    await actOnBehalf(context, request, record, {
      action: 'closing-balances.set',
      subject: 'requisites',
      details: { closingBalances: wanted },
    })
    return { count: wanted.length }
  },
  reconcile: async (context, request) => {
    const { requisiteId = null, mode = 'live', day = null, limit } = request.query
    const rows = await listReconciliations(context, { requisiteId, mode, day }, pageSize(limit))
    return { days: rows.map(toDay) }
  },
  day: async (context, request) => {
    const { id: requisiteId, day } = request.params
    const read = await readDay(context, requisiteId, day)
    const { currency, opening } = read
    const amount = (minor: bigint): number => wire.amount(minor, currency)
    return {
      requisiteId,
      day,
      currency,
      opening: amount(read.before),
      movements: read.movements.map((each) => ({ ...each, amount: amount(each.amount) })),
      ledger: amount(read.ledger),
      possibleDuplicates: amount(read.possibleDuplicates),
      closings: read.closings.map(toDay),
      ...(opening === undefined
        ? {}
        : {
            openingBalance: wire.fields({
              ...{ day: opening.day, reason: opening.reason, setBy: opening.setBy, setAt: opening.setAt },
              ...{ proposedDay: opening.proposedDay, proposedBy: opening.proposedBy },
              balance: amount(opening.balance),
              proposedBalance: opening.proposedBalance === null ? null : amount(opening.proposedBalance),
            }),
          }),
    }
  },
})
