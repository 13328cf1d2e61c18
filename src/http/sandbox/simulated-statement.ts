import type { FastifyReply } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { refuseField } from '../../rules/refusal.ts'
import { bookedInstant } from 'bank-files/pure'
import { listSimulatedStatements, type WantedStatements } from '../../engine/simulation/list-simulated-statements.ts'
import { writeCamt } from '../../rules/sandbox/write-camt.ts'
import { streamLines } from '../routes/lists.ts'

/** Sends a statement of the simulated bank. Refuses `validation_failed`, `resource_not_found` and `invalid_state`. */
export const sendSimulatedStatement = async (
  context: Context,
  reply: FastifyReply,
  wanted: WantedStatements,
): Promise<FastifyReply> => {
  if (wanted.day !== null && bookedInstant(wanted.day, 0) === undefined)
    throw refuseField('validation_failed', 'day', 'is not a day.')
  const statements = await listSimulatedStatements(context, wanted)
  return reply
    .type('application/xml; charset=utf-8')
    .header('content-disposition', `attachment; filename="simulated-bank-${statements[0]?.day ?? ''}.xml"`)
    .send(streamLines(writeCamt(statements, context.clock())))
}
