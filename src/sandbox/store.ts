import { array, bigint, instant, integer, nullable, query, uuid, word } from '../database/query.ts'

const stepRow = {
  merchantId: uuid,
  paymentId: uuid,
  id: uuid,
  action: word<'transfer' | 'end-time'>(),
  amount: nullable(bigint),
  dueAt: instant,
}

/** Plans steps. */
export const insertSteps = query({
  name: 'insert_simulated_steps',
  parameters: {
    merchantIds: array(uuid),
    paymentIds: array(uuid),
    ids: array(uuid),
    actions: array(word<'transfer' | 'end-time'>()),
    amounts: array(nullable(bigint)),
    dueAts: array(instant),
  },
  row: {},
  text: `insert into simulated_steps (merchant_id, payment_id, id, action, amount, due_at)
    select * from unnest(:merchantIds, :paymentIds, :ids, :actions, :amounts, :dueAts)`,
})

/** Steps whose time has come. */
export const listDueSteps = query({
  name: 'list_due_simulated_steps',
  parameters: { now: instant, limit: integer },
  row: stepRow,
  // Leaves out nothing that is locked: a step is deleted only after it was played, and playing twice changes nothing.
  text: `select merchant_id, payment_id, id, action, amount, due_at from simulated_steps
    where due_at <= :now order by due_at, id limit :limit`,
})

/** Takes steps off the plan. */
export const deleteSteps = query({
  name: 'delete_simulated_steps',
  parameters: { merchantIds: array(uuid), paymentIds: array(uuid), ids: array(uuid) },
  row: {},
  text: `delete from simulated_steps
    where (merchant_id, payment_id, id) in (select * from unnest(:merchantIds, :paymentIds, :ids))`,
})
