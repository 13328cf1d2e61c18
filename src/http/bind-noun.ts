import type { Context } from '../engine/context.ts'
import type { Noun, OperatorOperation, Operations } from '../operations/operation.ts'
import type { Duty } from '../rules/members/role.ts'
import { type GuardedRoutes, type Handle, routesForOperators } from './routes.ts'

/** What carries out each operation of a noun. */
type Handlers<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends OperatorOperation<
    infer Params,
    infer Query,
    infer Body,
    infer Answer
  >
    ? Handle<Context, Params, Query, Body, Answer>
    : never
}

/** The routes of a noun, in the order in which it declares them. */
export const bindNoun = <Declared extends object>(
  { operations }: Noun<Declared>,
  handlers: Handlers<Declared>,
): GuardedRoutes<Context, Duty> => {
  const routes = routesForOperators()
  for (const [name, { request, duty, command: _, commands: _others, ...declared }] of Object.entries(
    operations as Operations,
  )) {
    const [method = '', path = ''] = request.split(' ')
    // Each handler has the types of its declaration.
    const handle = handlers[name as keyof Declared] as never
    routes[method.toLowerCase() as 'get'](path.replaceAll(/\{(\w+)\}/g, ':$1'), duty, { ...declared, handle })
  }
  return routes
}
