import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Context, Tx } from '../../context.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import type { RequisiteAndId } from './operator-fields.ts'

type Key = Static<typeof RequisiteAndId>

/**
 * How an operator decides about what a bank booked: `work` runs with an audit entry such as `transfer.assign` about
 * `transfer:<requisite>/<id>`, then `answer` reads what the request is answered with.
 */
export const decisionsAbout =
  <Answer>(kind: 'transfer' | 'outgoing' | 'reversal', answer: (context: Context, key: Key) => Answer) =>
  async (
    context: Context,
    request: FastifyRequest<{ Params: Key }>,
    verb: string,
    details: object,
    work: (tx: Tx, key: Key) => Promise<unknown>,
  ): Promise<Awaited<Answer>> => {
    const key = request.params
    await actOnBehalf(context, request, (tx) => work(tx, key), {
      action: `${kind}.${verb}`,
      subject: `${kind}:${key.requisiteId}/${key.id}`,
      details: { ...details },
    })
    return await answer(context, key)
  }
