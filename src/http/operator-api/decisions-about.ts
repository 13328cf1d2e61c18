import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import type { RequisiteAndId } from '../../operations/fields.ts'
import type { Static } from '../../operations/schema.ts'
import { actOnNamed, type RequestedAct } from '../access/act-on-behalf.ts'

type Key = Static<typeof RequisiteAndId>

/**
 * Makes the function by which operators decide about what a bank booked: it runs `work` with an audit entry such as
 * `transfer.assign` about `transfer:<requisite>/<id>`, then returns what `answer` reads for the response.
 */
export const decisionsAbout =
  <Answer>(kind: 'transfer' | 'outgoing' | 'reversal', answer: (context: Context, key: Key) => Answer) =>
  async <T>(
    context: Context,
    request: FastifyRequest<{ Params: Key }>,
    verb: string,
    details: RequestedAct<T>['details'],
    work: (tx: Tx, key: Key) => Promise<T>,
  ): Promise<Awaited<Answer>> => {
    const key = request.params
    await actOnNamed(context, request, `${kind}.${verb}`, (tx) => work(tx, key), details)
    return await answer(context, key)
  }
