import { bigint, instant, integer, nullable, query, sooner, table, uuid, word } from 'payin-database'
import type { SimulatedReporter, SimulatedStep } from '../../rules/sandbox/simulation.ts'

const stepRow = {
  merchantId: uuid,
  paymentId: uuid,
  id: uuid,
  action: word<SimulatedStep['action']>(),
  amount: nullable(bigint),
  dueAt: instant,
  /** Who reports the money that it moves. */
  reportedBy: word<SimulatedReporter>(),
}

export const insertSteps = table('simulated_steps', {}).insertAll('insert_simulated_steps', stepRow)

/** The steps that are due, for a merchant or for all, in playing order. */
export const listDueSteps = query('list_due_simulated_steps', {
  planned: 'each-time',
  parameters: { merchantId: nullable(uuid), now: instant, limit: integer },
  row: stepRow,
  // Does not skip locked rows: a step is deleted only after it was played, and playing it twice changes nothing.
  text: `select :row from simulated_steps
    where due_at <= :now and (:merchantId is null or merchant_id = :merchantId) order by due_at, id limit :limit`,
})

export const findNextStep = query('find_next_simulated_step', {
  parameters: { merchantId: uuid, now: instant, until: instant },
  row: { dueAt: instant },
  text: `select due_at from simulated_steps
    where merchant_id = :merchantId and due_at > :now and due_at <= :until order by due_at limit 1`,
})

export const markStepsTurned = query('turn_simulated_steps', {
  parameters: { merchantId: uuid, now: instant, byMs: bigint },
  text: `update simulated_steps set due_at = greatest(:now, ${sooner('due_at')})
    where merchant_id = :merchantId and due_at > :now`,
})

export const deleteStep = table('simulated_steps', { merchantId: uuid, paymentId: uuid, id: uuid }).delete(
  'delete_simulated_step',
)
