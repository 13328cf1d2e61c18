import type { FastifyReply } from 'fastify'
import { bookedInstant } from 'bank-files/pure'
import type { SimulationBody } from '../../operations/sandbox.ts'
import type { Context } from '../../engine/context.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { refuseField } from '../../rules/refusal.ts'
import { mostSimulated } from '../../rules/sandbox/simulation.ts'
import { writeCamt } from '../../rules/sandbox/write-camt.ts'
import type { Simulation } from '../../engine/sandbox/simulate-payments.ts'
import { listSimulatedStatements, type WantedStatements } from '../../engine/simulation/list-simulated-statements.ts'
import { streamLines } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'

/** What a body asks to simulate. Refuses `amount_above_max` and `amount_precision`. */
export const readSimulation = (body: SimulationBody, payment: Payment): Simulation => {
  const { event, delayMs = 0, reportedBy = 'feed' } = body
  const amount = readBody((read) => {
    const wanted = body.amount === undefined ? undefined : read.amount(body, 'amount', payment.currency)
    if (wanted !== undefined && wanted > mostSimulated(payment.amount))
      read.wrong('amount', 'is more than ten times the amount of the payment.', 'amount_above_max')
    if (reportedBy === 'message' && payment.currency !== 'rub')
      read.wrong('reportedBy', 'may be a message for payments in roubles only.')
    return wanted
  })
  return { event, amount, delayMs, reportedBy }
}

/** Sends a statement of the simulated bank. Refuses `validation_failed`, `resource_not_found` and `invalid_state`. */
export const sendSimulatedStatement = async (
  context: Context,
  reply: FastifyReply,
  wanted: WantedStatements,
): Promise<FastifyReply> => {
  if (wanted.day !== null && bookedInstant(wanted.day, 0) === undefined) throw refuseField('day', 'is not a day.')
  const statements = await listSimulatedStatements(context, wanted)
  return reply
    .type('application/xml; charset=utf-8')
    .header('content-disposition', `attachment; filename="simulated-bank-${statements[0]?.day ?? ''}.xml"`)
    .send(streamLines(writeCamt(statements, context.clock())))
}
