import { mayShareSlot } from '../../rules/payments/payment.ts'
import { methodRules, scopedMethods } from '../../rules/values/payment-method.ts'
import type { RequisiteVerdict } from '../../rules/requisites/requisite.ts'
import { explainAllocation } from '../../engine/requisites/explain-allocation.ts'
import { getProfile, isPoolContested, merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { readBody } from '../routes/read-body.ts'
import { allocation, shownVerdicts } from '../../operations/allocation.ts'
import { bindOperations } from '../routes/bind-operations.ts'

const rank = (verdict: RequisiteVerdict, chosenId: string | null): number => {
  if (verdict.requisite.id === chosenId) return 0
  if (verdict.refused === null) return 1
  // Requisites of another method, bank or currency explain the least.
  return verdict.refused.startsWith('other-') ? 3 : 2
}

/** Which requisite a payment would get now. */
export const allocationRoutes = bindOperations(allocation, {
  explain: async (context, request) => {
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
    return {
      chosenId,
      counts: Object.fromEntries(counts.entries().map(([reason, members]) => [reason, members.length])),
      verdicts: shown.map(({ requisite, held, ...verdict }) => ({
        ...{ ...requisite, ...verdict, requisiteId: requisite.id, number: requisite.numberMasked },
        held: held && { payments: held.holders, until: held.heldUntil, shared: held.shares },
      })),
    }
  },
})
