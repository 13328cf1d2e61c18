import type { Context } from '../context.ts'
import type { ClockTurn } from '../../rules/sandbox/clock-turn.ts'
import { Refusal } from '../../rules/refusal.ts'
import { turnDisputes } from '../disputes/disputes.ts'
import { merchantDirectory } from '../merchants/merchant-directory.ts'
import { turnNotifications } from '../notifications/deliveries/redeliver.ts'
import { turnPayments } from '../payments/turning/turn-payments.ts'
import { nextStepAt, turnSteps } from '../sandbox/simulate-payments.ts'
import { playSimulatedSteps } from './play-simulated-steps.ts'

/** How many payments, disputes and planned tries of notifications a turn has moved. */
export type TurnedClock = { readonly payments: number; readonly disputes: number; readonly deliveries: number }

/** Most simulated steps at which a turn stops. */
const mostStops = 100

const turnOnce = async (context: Context, merchantId: string, byMs: number): Promise<TurnedClock> => {
  const turn: ClockTurn = { byMs, now: context.clock() }
  const payments = await turnPayments(context, merchantId, turn)
  return context.transaction(async (tx) => {
    const disputes = await turnDisputes(tx, merchantId, turn)
    const deliveries = await turnNotifications(tx, merchantId, turn)
    await turnSteps(tx, merchantId, turn)
    tx.afterCommit(() => tx.changes.publish(['sandbox']))
    return { payments, disputes, deliveries }
  })
}

/**
 * Turns the clock of a sandbox merchant forward: every future moment of its payments, slots, disputes, claims,
 * reminders and notifications moves closer by `byMs`, at the earliest to now. The turn stops at each simulated step on
 * its way, so that money planned before the end of a payment's time comes before it. Refuses `sandbox_only` for a live
 * merchant.
 */
export const turnClock = async (context: Context, merchantId: string, byMs: number): Promise<TurnedClock> => {
  const profile = (await context.catalog.get(merchantDirectory)).get(merchantId)
  if (profile?.merchant.mode !== 'sandbox')
    throw new Refusal('sandbox_only', 'Only the clocks of sandbox merchants can be turned: the time of others is real.')
  let left = byMs
  const most = { payments: 0, disputes: 0, deliveries: 0 }
  for (let stops = 0; left > 0; stops++) {
    const now = context.clock()
    const next = stops < mostStops ? await nextStepAt(context, merchantId, { byMs: left, now }) : undefined
    // A step may become due between two readings of the clock.
    const part = next === undefined ? left : Math.min(left, Math.max(1, next - now))
    const moved = await turnOnce(context, merchantId, part)
    for (const name of ['payments', 'disputes', 'deliveries'] as const) most[name] = Math.max(most[name], moved[name])
    left -= part
    if (next !== undefined) await playSimulatedSteps(context, merchantId)
  }
  return most
}
