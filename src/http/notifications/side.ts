import type { FastifyRequest } from 'fastify'
import { type TProperties, type TSchema, Type } from 'typebox'
import type { Context, Tx } from '../../context.ts'
import type { Scope } from '../../domain/access.ts'
import { Refusal } from '../../domain/refusal.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { actFor, actOnBehalf, type RequestedAct } from '../act-on-behalf.ts'
import { Id } from '../ids.ts'

/** Who works with endpoints: a merchant with its own, or an operator with those of any merchant. */
export type Side = {
  readonly by: 'merchant' | 'operator'
  /** Path of a merchant's endpoints. */
  readonly base: string
  /** Members of a route's schema that all operations of this side have. */
  operation(id: string, summary: string, description?: string): object
  readonly config: (scope: Scope) => { scope?: Scope }
  /** Schema of the path parameters, next to those that name the merchant. */
  params(own: TProperties): TSchema
  /** The merchant whose endpoints are meant; refuses `resource_not_found`. */
  merchantOf(request: FastifyRequest): Promise<string>
  /** Runs a change in a transaction, with its audit entry. */
  act<T>(request: FastifyRequest, act: RequestedAct<T>, work: (tx: Tx) => Promise<T>): Promise<T>
}

/** A merchant and its own endpoints. */
export const merchantSide = (context: Context): Side => ({
  by: 'merchant',
  base: '/endpoints',
  operation: (operationId, summary, description) => ({
    tags: ['notifications'],
    security: [{ merchant: [] }],
    operationId,
    summary,
    ...(description ? { description } : {}),
  }),
  config: (scope) => ({ scope }),
  params: (own) => Type.Object({ ...own }),
  merchantOf: (request) => Promise.resolve(request.caller.merchantId),
  act: (request, act, work) => actFor(context, `merchant:${request.caller.merchantId}`, act, work),
})

/** An operator and the endpoints of the merchant in the path. */
export const operatorSide = (context: Context): Side => ({
  by: 'operator',
  base: '/merchants/:id/endpoints',
  operation: (operationId, summary, description) => ({
    tags: ['operator'],
    security: [{ operator: [] }],
    operationId: `${operationId}OfMerchant`,
    summary,
    ...(description ? { description } : {}),
  }),
  config: () => ({}),
  params: (own) => Type.Object({ id: Id, ...own }),
  merchantOf: async (request) => {
    const { id } = request.params as { id: string }
    if ((await context.catalog.get(merchantDirectory)).has(id)) return id
    throw new Refusal('resource_not_found', 'There is no such merchant.')
  },
  act: (request, act, work) => actOnBehalf(context, request, act, work),
})
