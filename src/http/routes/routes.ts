import type { TProperties } from 'typebox'
import { isSchema, type JsonSchema, byName, Type } from '../../operations/schema.ts'
import { type Operation, rowFieldsOf, rowsNameOf, type ValueOf } from '../../operations/operation.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { type Scope, type Duty, duties } from '../../rules/members/access.ts'
import type { App } from './app.ts'
import { codesOf, type Security } from '../../rules/error-codes.ts'
import { type PathParams, paramsOf } from '../../operations/path.ts'
import { type Known, toAnswer } from './to-answer.ts'
import { exportColumns, filtersOf, largestPage, sendPages } from './list-export.ts'
import { Csv } from '../../operations/lists.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Adds names to a response of the operator API, which exports do themselves. */
    addNames?: (answer: unknown) => Promise<unknown>
  }
}

export type Handle<Owner, Params, Query, Body, Answer> = (
  owner: Owner,
  request: FastifyRequest<{ Params: ValueOf<Params>; Querystring: ValueOf<Query>; Body: ValueOf<Body> }>,
  reply: FastifyReply<{ Reply: ValueOf<Answer> }>,
) => Known<ValueOf<Answer>> | FastifyReply | Promise<Known<ValueOf<Answer>> | FastifyReply>

type RouteAt<Path, Owner, Params, Query, Body, Answer> = Operation<Params, Query, Body, Answer> & {
  readonly handle: Handle<Owner, PathParams<Path, Params>, Query, Body, Answer>
  /** Only tokens may call it, not sessions of the console. */
  readonly isForTokens?: true
  /** Each caller may have only a few of these requests running at once. */
  readonly takesTurns?: true
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type Declare<Owner, Access> = <Path extends string, Query, Body, Answer, Params = unknown>(
  path: Path,
  access: Access,
  route: RouteAt<Path, Owner, Params, Query, Body, Answer>,
) => Routes<Owner, Access>

/**
 * Routes that belong together, declared when their file is loaded. Each says next to its path who may call it: a duty, a
 * scope, or both. Their handlers get an `Owner` first.
 */
export type Routes<Owner, Access> = Readonly<Record<Method, Declare<Owner, Access>>> & {
  /** Adds them to a server, in the order of their declaration. */
  readonly register: (app: App, owner: Owner) => Promise<void>
}

/** What routes that belong together share. */
export type Interface = {
  readonly tag: string
  readonly security: Security
  /** Start of every path. */
  readonly base?: string
  /** Ending of every operation's name. */
  readonly idEnding?: string
}

type AnyRoute = RouteAt<'', never, unknown, unknown, unknown, unknown> & {
  readonly scope?: Scope
  readonly duty?: Duty
  readonly isExport?: true
}

const allowedTo = ({ scope, duty }: AnyRoute, { security }: Interface): object => {
  if (security === 'operator') return duty ? { 'x-duty': duty, 'x-roles': duties[duty] } : {}
  return scope ? { 'x-scope': scope } : {}
}

const toSchema = (shape: unknown, make: (fields: TProperties) => object): JsonSchema =>
  isSchema(shape as object) ? (shape as object) : make(shape as TProperties)

/**
 * The codes with which a route may refuse: also those that follow from its path and body. A thing that these name may
 * not exist (payments have a code of their own, and of currencies there is no list), or be in a state that does not
 * allow a change by operators; numbers are exact.
 */
const refusalsOf = ({ method, path, route }: Declared, { security, base = '' }: Interface) => {
  const { refusals = [], body = {} } = route
  const codes = new Set([...codesOf(security), ...refusals])
  const taken = JSON.stringify(body)
  if (taken.includes('"type":"number"')) codes.add('amount_above_max').add('amount_precision')
  const isForOperators = security === 'operator'
  const isInPath = security !== 'feed' && /:(?!currency\b)/.test(base + path)
  const isNamed = isInPath || (isForOperators && taken.includes('"format":"uuid"'))
  if (isNamed && !codes.has('payment_not_found')) codes.add('resource_not_found')
  return isForOperators && isInPath && method !== 'get' ? codes.add('invalid_state') : codes
}

/** Both interfaces have exports of payments, links and others: those of merchants are called their own. */
const operationIdOf = ({ id, isExport }: AnyRoute, { idEnding = '', security }: Interface): string => {
  const name = isExport ? id.replace(/^(list(All)?|get|findIn)/, security === 'merchant' ? 'exportOwn' : 'export') : id
  return `${name}${idEnding}`
}

type Declared = { readonly method: Method; readonly path: string; readonly route: AnyRoute }

const schemaOf = ({ path, route }: Declared, shared: Interface): object => {
  const { summary, description, params, headers, query, body, bodyContent, consumes } = route
  const { status = 200, answer, answers, answerContent } = route
  const allParams = paramsOf((shared.base ?? '') + path, params)
  return {
    tags: [shared.tag],
    security: [{ [shared.security]: [] }],
    operationId: operationIdOf(route, shared),
    ...allowedTo(route, shared),
    summary,
    ...(description !== undefined && { description }),
    ...(Object.keys(allParams).length > 0 && { params: Type.Object(allParams) }),
    ...(headers && { headers: Type.Object(headers) }),
    ...(query !== undefined && { querystring: toSchema(query, Type.Exact) }),
    ...(body !== undefined && { body: toSchema(body, Type.Exact) }),
    ...(bodyContent && { body: bodyContent }),
    ...(consumes && { consumes }),
    response: answers ?? { [status]: answerContent ?? toSchema(answer, Type.Object) },
  }
}

/** Prepares the scope that some routes have for themselves: hooks, and parsers of bodies that only they accept. */
type Prepare<Owner> = (scope: App, owner: Owner) => void | Promise<void>

/** The parts of a route that do not depend on its owner. */
type Prepared = { readonly config: object; readonly schema: object; readonly bodyLimit?: number }

const operationOf = (declared: Declared, shared: Interface): Prepared => {
  const { route } = declared
  const { scope, duty, isForTokens, takesTurns, bodyLimit, bodyWithinMs } = route
  const config = {
    operation: operationIdOf(route, shared),
    refusals: refusalsOf(declared, shared),
    ...(scope && { scope }),
    ...(duty && { duty }),
    ...(isForTokens && { isForTokens }),
    ...(takesTurns && { takesTurns }),
    ...(bodyWithinMs && { bodyWithinMs }),
  }
  return { ...(bodyLimit && { bodyLimit }), config, schema: schemaOf(declared, shared) }
}

/** Writes what a handler returns as the route declares it. */
const inDeclaredForm = (route: AnyRoute): AnyRoute => {
  const { answer, answers, handle } = route
  if (answer === undefined && answers === undefined) return route
  const shape = toSchema(answer ?? Object.values(answers ?? {})[0], Type.Object)
  return {
    ...route,
    handle: async (owner, request, reply) => {
      const said = await handle(owner, request, reply)
      return said === undefined ? reply : toAnswer(shape, said)
    },
  }
}

/** The export of a list: all of its pages as CSV. */
const exportOf = (path: string, list: AnyRoute, rows: string): Declared => {
  const { answer: _, query, exports, ...route } = list
  const { columns: wanted, most } = (typeof exports === 'object' && exports) || {}
  const columns = exportColumns(rowFieldsOf(list), wanted)
  const asked = byName((query ?? {}) as TProperties)
  const page = most ? { limit: String(most) } : largestPage(asked)
  return {
    method: 'get',
    path: `${path}.csv`,
    route: {
      ...route,
      isExport: true,
      takesTurns: true,
      summary: `${list.summary.replace(/^(List|Show|Read|Report|Find)/, 'Export')} as CSV`,
      description: `Everything that \`GET ${path.replace(/:(\w+)/g, '{$1}')}\` lists with the same filters.`,
      ...(query !== undefined && { query: filtersOf(asked) }),
      answerContent: Csv,
      handle: (owner, request, reply) => {
        const { query: filters } = request
        return sendPages(reply, path.slice(path.lastIndexOf('/') + 1), rows, columns, async (next) => {
          request.query = { ...(filters as object), ...page, ...next }
          const said = (await list.handle(owner, request, reply)) as Record<string, unknown>
          return request.addNames ? ((await request.addNames(said)) as typeof said) : said
        })
      },
    },
  }
}

/**
 * An empty list of routes. `sharedBy` gives what they share for an owner; `toMembers` turns who may call a route into
 * fields of it.
 */
export const declareRoutes = <Owner, Access>(
  sharedBy: (owner: Owner) => Interface,
  toMembers: (access: Access) => Pick<AnyRoute, 'duty' | 'scope'>,
  prepare?: Prepare<Owner>,
): Routes<Owner, Access> => {
  const declared: Declared[] = []
  // Kept for the process, so that a second server (tests start many) does not build and compile them again. Owners of
  // one side share the same.
  const known = new Map<Security, readonly Prepared[]>()
  const operationsOf = (shared: Interface): readonly Prepared[] => {
    const operations = known.get(shared.security) ?? declared.map((each) => operationOf(each, shared))
    known.set(shared.security, operations)
    return operations
  }
  const add = (app: App, owner: Owner): void => {
    const shared = sharedBy(owner)
    const operations = operationsOf(shared)
    for (const [index, { method, path, route }] of declared.entries()) {
      app[method](`${shared.base ?? ''}${path}`, { ...operations[index] }, (request, reply) => {
        if (route.status !== undefined) void reply.code(route.status)
        return route.handle(owner as never, request, reply)
      })
    }
  }
  const declare =
    (method: Method): Declare<Owner, Access> =>
    (path, access, route) => {
      const each = inDeclaredForm({ ...(route as unknown as AnyRoute), ...toMembers(access) })
      declared.push({ method, path, route: each })
      const rows = method === 'get' ? rowsNameOf(each) : undefined
      if (rows !== undefined) declared.push(exportOf(path, each, rows))
      return routes
    }
  const routes: Routes<Owner, Access> = {
    get: declare('get'),
    post: declare('post'),
    put: declare('put'),
    patch: declare('patch'),
    delete: declare('delete'),
    register: async (app, owner) => {
      if (!prepare) return add(app, owner)
      await app.register(async (scope) => {
        await prepare(scope, owner)
        add(scope, owner)
      })
    },
  }
  return routes
}

/** Routes of the operator API, each with the duty that the caller's role must have. */
export const routesForOperators = (prepare?: Prepare<Context>) =>
  declareRoutes<Context, Duty>(
    () => ({ tag: 'operator', security: 'operator' }),
    (duty) => ({ duty }),
    prepare,
  )

/** Routes for merchants, each with the scope that the caller must have. */
export const routesForMerchants = (tag: string, prepare?: Prepare<Context>) =>
  declareRoutes<Context, Scope>(
    () => ({ tag, security: 'merchant' }),
    (scope) => ({ scope }),
    prepare,
  )

/** Routes that whoever has authenticated may call. */
export const routesForAll = (tag: string, security: Security, prepare?: Prepare<Context>) =>
  declareRoutes<Context, null>(
    () => ({ tag, security }),
    () => ({}),
    prepare,
  )
