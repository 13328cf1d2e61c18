import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../context.ts'
import { actAsOperator, type OperatorAct } from '../../operators/act-as-operator.ts'

type FromResult<T, V> = V | ((result: T) => V)

const resolve = <T, V extends string | object>(value: FromResult<T, V>, result: T): V =>
  typeof value === 'function' ? value(result) : value

/**
 * Runs a change for the operator of a request, with its audit entry in the same transaction. What only the result
 * knows, such as the id of something new, is told by functions of the result; never a token or a full number.
 */
export const actOnBehalf = <T>(
  context: Context,
  request: FastifyRequest,
  act: {
    readonly action: string
    readonly subject: FromResult<T, string>
    readonly details: FromResult<T, OperatorAct['details']>
  },
  work: (tx: Tx) => Promise<T>,
): Promise<T> => {
  const { action, subject, details } = act
  return actAsOperator(context, work, (result) => ({
    actor: actorOf(request),
    action,
    subject: resolve(subject, result),
    details: resolve(details, result),
  }))
}

/** The operator of a request as it stands in events and in the audit. */
export const actorOf = (request: Pick<FastifyRequest, 'operator'>): string => `operator:${request.operator}`
