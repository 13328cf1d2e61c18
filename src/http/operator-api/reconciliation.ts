import { listReconciliations, readDay } from '../../engine/ledger/reconciliation/read.ts'
import { holdSharing } from '../../engine/requisites/bindings/binding.ts'
import { recordClosingBalance } from '../../engine/ledger/reconciliation/record-closing-balance.ts'
import { tryOut } from '../../engine/ledger/post-entries.ts'
import type { Tx } from '../../engine/context.ts'
import { isEven } from '../../rules/money/reconciliation.ts'
import { moneyDuties } from '../../engine/members/refuse-one-person.ts'
import { pageSize } from '../routes/lists.ts'
import { reconciliation } from '../../operations/reconciliation.ts'
import { actOnBehalf, actOnEach, actorOf, agreeingOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { setOpeningBalances } from '../../engine/ledger/reconciliation/set-opening-balance.ts'

type Reconciled = Awaited<ReturnType<typeof listReconciliations>>[number]

const toDay = (row: Reconciled) => ({ ...row, difference: row.closing - row.ledger, even: isEven(row) })

/** Opening and closing balances of banks, compared with the ledger. */
export const reconciliationRoutes = bindOperations(reconciliation.operations, {
  open: async (context, request) => {
    const { balances: given, reason, dryRun = false } = request.body
    const balances = readBody((read) =>
      given.map((each, index) => ({
        ...each,
        balance: read.amount(each, 'balance', each.currency, `balances.${index}.balance`),
      })),
    )
    const set = async (tx: Tx) => {
      const sharing = await holdSharing(
        tx,
        balances.map(({ requisiteId }) => requisiteId),
      )
      const wanted = balances.map((each) => ({
        ...{ ...each, reason, setBy: actorOf(request) },
        sharing: sharing.get(each.requisiteId) ?? [each.requisiteId],
      }))
      return setOpeningBalances(tx, wanted, await agreeingOf(context, request, tx, moneyDuties))
    }
    const proposed = (isSet: boolean | undefined) => (isSet === false ? { proposed: true } : {})
    const entries = (areSet: readonly boolean[]) =>
      balances.map(({ requisiteId, ...details }, index) => ({
        subject: `requisite:${requisiteId}`,
        details: { ...details, reason, ...proposed(areSet[index]) },
      }))
    const areSet = dryRun
      ? await tryOut(context, set)
      : await actOnEach(context, request, 'opening-balance.set', set, entries)
    return { balances: balances.map((each, index) => ({ ...each, ...proposed(areSet[index]) })) }
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
