import { Type } from '../../operations/schema.ts'
import type { FastifyReply } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { type SimulatedFormat, simulatedFormats } from '../../rules/sandbox/simulated-statement.ts'
import { refuseField } from '../../rules/refusal.ts'
import { bookedInstant } from 'bank-files/pure'
import { listStatements, type WantedStatements } from '../../engine/simulation/bank/list-statements.ts'
import { simulatedFiles } from '../../engine/simulation/bank/simulated-files.ts'
import { Day } from '../../operations/fields.ts'
import { streamLines } from '../routes/lists.ts'

/** Query of a statement of the simulated bank. Each API adds whose statement it is. */
export const SimulatedStatementQuery = {
  format: Type.Optional(Type.OneOf(simulatedFormats, 'Default: `camt.053`.')),
  day: Type.Optional(Day, 'Day of the bookings in the zone of each account. Default: today.'),
}

const file = { schema: Type.Unsafe<string>({ type: 'string' }) }

/** Response schema of a statement of the simulated bank. */
export const SimulatedStatementFile = {
  description: 'The statement file of the simulated bank.',
  content: { 'application/xml': file, 'text/plain': file, 'text/csv': file },
}

/** Sends a statement of the simulated bank. Refuses `validation_failed`, `resource_not_found` and `invalid_state`. */
export const sendSimulatedStatement = async (
  context: Context,
  reply: FastifyReply,
  { format = 'camt.053', ...wanted }: WantedStatements & { readonly format: SimulatedFormat | undefined },
): Promise<FastifyReply> => {
  if (wanted.day !== null && bookedInstant(wanted.day, 0) === undefined)
    throw refuseField('validation_failed', 'day', 'is not a day.')
  const statements = await listStatements(context, wanted)
  const { write, encode, mediaType, ending } = simulatedFiles[format]
  const name = `simulated-bank-${statements[0]?.day ?? ''}.${ending}`
  return reply
    .type(mediaType)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(streamLines(write(statements, context.clock()), encode))
}
