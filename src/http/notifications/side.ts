import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import type { Scope, Duty } from '../../rules/members/access.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { actFor, actOnBehalf, merchantActorOf, type RequestedAct } from '../access/act-on-behalf.ts'
import type { App } from '../routes/app.ts'
import { type Handlers, toRoutes } from '../routes/bind-operations.ts'
import { declareRoutes, type Interface } from '../routes/routes.ts'

/** Who works with a merchant's endpoints, deliveries and links: the merchant itself, or an operator. */
export type Side = Interface & {
  readonly context: Context
  readonly by: 'merchant' | 'operator'
  /** The merchant whose data is meant. Refuses `resource_not_found`. */
  merchantOf(request: FastifyRequest): Promise<string>
  /** Runs a change in a transaction, with its audit entry. */
  act<T>(request: FastifyRequest, work: (tx: Tx) => Promise<T>, act: RequestedAct<T>): Promise<T>
}

/** Routes of both sides: a merchant's token needs the scope, an operator's role the duty. */
const routesOfSides = () =>
  declareRoutes<Side, readonly [scope: Scope, duty: Duty]>(
    (side) => side,
    ([scope, duty]) => ({ scope, duty }),
  )

/** A merchant and its own endpoints. */
export const merchantSide = (context: Context): Side => ({
  by: 'merchant',
  context,
  tag: 'notifications',
  security: 'merchant',
  merchantOf: (request) => Promise.resolve(request.caller.merchantId),
  act: (request, work, act) => actFor(context, request, merchantActorOf(request), work, act),
})

/** An operator and the endpoints of the merchant in the path. */
export const operatorSide = (context: Context): Side => ({
  by: 'operator',
  context,
  tag: 'operator',
  security: 'operator',
  base: '/merchants/:id',
  idEnding: 'OfMerchant',
  merchantOf: async (request) => {
    const { merchant } = await getProfile(context, (request.params as { id: string }).id)
    return merchant.id
  },
  act: (request, work, act) => actOnBehalf(context, request, work, act),
})

/** The routes of operations that both sides have. Their paths begin with the merchant, whom a merchant's own do without. */
export const bindSides = <Declared extends object>(operations: Declared, handlers: Handlers<Side, Declared>) => {
  const routes = routesOfSides()
  for (const { method, path, duty, route } of toRoutes(operations, handlers)) {
    const { scope, ...declared } = route
    if (scope === undefined) throw new Error(`no scope: ${path}`)
    routes[method](path.replace('/merchants/:merchantId', ''), [scope, duty], declared)
  }
  return routes
}

/** Registers routes of both sides for one of them. */
export const onSide = (routes: ReturnType<typeof routesOfSides>, sideOf: (context: Context) => Side) => ({
  register: (app: App, context: Context) => routes.register(app, sideOf(context)),
})
