import { listReconciliations, readDay } from '../../engine/ledger/reconciliation/read.ts'
import { holdSharing } from '../../engine/requisites/bindings/binding.ts'
import { recordClosingBalance } from '../../engine/ledger/reconciliation/record-closing-balance.ts'
import type { Tx } from '../../engine/context.ts'
import { isEven } from '../../rules/money/reconciliation.ts'
import { hasTwoPeople, moneyDuties } from '../../engine/members/refuse-one-person.ts'
import { pageSize } from '../routes/lists.ts'
import { reconciliation } from '../../operations/reconciliation.ts'
import { actOnBehalf, actorOf, secondOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { setOpeningBalance } from '../../engine/ledger/reconciliation/set-opening-balance.ts'

type Reconciled = Awaited<ReturnType<typeof listReconciliations>>[number]

const toDay = (row: Reconciled) => ({ ...row, difference: row.closing - row.ledger, even: isEven(row) })

/** Opening and closing balances of banks, compared with the ledger. */
export const reconciliationRoutes = bindOperations(reconciliation.operations, {
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
    const record = (tx: Tx) => recordClosingBalance(tx, { requisiteId, ...details }, actorOf(request))
    const act = { action: 'closing-balance.set', subject: `requisite:${requisiteId}`, details }
    await actOnBehalf(context, request, record, act)
    return { requisiteId, day }
  },
  reconcile: async (context, request) => {
    const { requisiteId = null, mode = 'live', day = null, limit } = request.query
    const rows = await listReconciliations(context, { requisiteId, mode, day }, pageSize(limit))
    return { days: rows.map(toDay) }
  },
  day: async (context, request) => {
    const { id: requisiteId, day } = request.params
    const read = await readDay(context, requisiteId, day)
    return {
      ...{ ...read, requisiteId, day },
      opening: read.before,
      closings: read.closings.map(toDay),
      openingBalance: read.opening,
    }
  },
})
