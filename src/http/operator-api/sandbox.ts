import { Refusal } from '../../rules/refusal.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { getPaymentById } from '../../engine/payments/read.ts'
import { simulatePayment } from '../../engine/sandbox/simulate-payments.ts'
import { turnClock } from '../../engine/simulation/turn-clock.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import type { Context } from '../../engine/context.ts'
import { sandbox } from '../../operations/sandbox.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readSimulation, sendSimulatedStatement } from '../sandbox/simulation.ts'

const refuseLive = async (context: Context, merchantId: string): Promise<void> => {
  const { merchant } = await getProfile(context, merchantId)
  if (merchant.mode !== 'sandbox') throw new Refusal('sandbox_only', `${merchant.name} is a live merchant.`)
}

/** What operators do with the sandbox: its payments, clocks and simulated bank. */
export const sandboxRoutes = bindOperations(sandbox.operations, {
  simulate: async (context, request) => {
    const { merchantId, id } = request.params
    await refuseLive(context, merchantId)
    const payment = await getPaymentById(context, merchantId, id)
    const wanted = readSimulation(request.body, payment)
    const { event, reportedBy } = wanted
    const details = { event, reportedBy, ...(wanted.amount !== undefined && { amount: wanted.amount }) }
    const act = { action: 'payment.simulate', subject: `payment:${merchantId}/${id}`, details }
    await actOnBehalf(context, request, (tx) => simulatePayment(tx, payment, wanted), act)
    return { id, orderId: payment.orderId, status: payment.status, event }
  },
  turn: async (context, request) => {
    const { id } = request.params
    const { forwardMs } = request.body
    await refuseLive(context, id)
    const act = { action: 'merchant.turn-clock', subject: `merchant:${id}`, details: { forwardMs } }
    // The turn takes several transactions; the audit records before them that it was requested.
    await actOnBehalf(context, request, () => Promise.resolve(), act)
    return turnClock(context, id, forwardMs)
  },
  statement: (context, { query: { merchantId = null, requisiteId = null, day = null } }, reply) =>
    sendSimulatedStatement(context, reply, { merchantId, requisiteId, day }),
})
