import type { Context } from '../../engine/context.ts'
import type { OperatorOperation, Operations } from '../../operations/operation.ts'
import { type Handle, routesForOperators } from './routes.ts'

/** What carries out each operation. */
export type Handlers<Owner, Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends OperatorOperation<
    infer Params,
    infer Query,
    infer Body,
    infer Answer
  >
    ? Handle<Owner, Params, Query, Body, Answer>
    : never
}

/** Declarations as routes with what carries them out, in their order. */
export const toRoutes = <Declared extends object>(declared: Declared, handlers: Handlers<never, Declared>) =>
  Object.entries(declared as Operations).map(([name, { request, duty, command: _, commands: _others, ...route }]) => {
    const [method = '', path = ''] = request.split(' ')
    return {
      method: method.toLowerCase() as 'get',
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      duty,
      // Each handler has the types of its declaration.
      route: { ...route, handle: handlers[name as keyof Declared] as never },
    }
  })

/** The routes of operations, in the order of their declarations. */
export const bindOperations = <Declared extends object>(
  operations: Declared,
  handlers: Handlers<Context, Declared>,
) => {
  const routes = routesForOperators()
  for (const { method, path, duty, route } of toRoutes(operations, handlers)) routes[method](path, duty, route)
  return routes
}
