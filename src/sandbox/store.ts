import { bigint, columnsOf, instant, integer, nullable, query, uuid, word } from '../database/query.ts'
import type { SimulatedStep } from '../domain/simulation.ts'

const stepRow = {
  merchantId: uuid,
  paymentId: uuid,
  id: uuid,
  action: word<SimulatedStep['action']>(),
  amount: nullable(bigint),
  dueAt: instant,
}

/** Plans steps. */
export const insertSteps = query('insert_simulated_steps', {
  rows: stepRow,
  text: `insert into simulated_steps (:columns) select :columns from :rows`,
})

/** Steps whose time has come. */
export const listDueSteps = query('list_due_simulated_steps', {
  parameters: { now: instant, limit: integer },
  row: stepRow,
  // Leaves out nothing that is locked: a step is deleted only after it was played, and playing it twice changes nothing.
  text: `select ${columnsOf(stepRow)} from simulated_steps where due_at <= :now order by due_at, id limit :limit`,
})

/** Takes a step off the plan. */
export const deleteStep = query('delete_simulated_step', {
  parameters: { merchantId: uuid, paymentId: uuid, id: uuid },
  text: `delete from simulated_steps where merchant_id = :merchantId and payment_id = :paymentId and id = :id`,
})
