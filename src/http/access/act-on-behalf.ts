import type { FastifyRequest } from 'fastify'
import { effectOf } from 'payin-database'
import type { Context, Tx } from '../../engine/context.ts'
import { actAudited, type AuditedAct } from '../../engine/audit/record-acts.ts'
import { holdSession } from '../../engine/members/find-member.ts'
import { hasTwoPeople, asLoneReport, moneyDuties, requireTwo } from '../../engine/members/refuse-one-person.ts'
import type { Duty } from '../../rules/members/access.ts'
import type { Assigner } from '../../engine/transfers/transfer-parts.ts'

type FromResult<T, V> = V | ((result: T) => V)

/** What the audit records about a change. Fields that depend on the result, such as a new id, are functions of it. */
export type RequestedAct<T> = {
  readonly action: string
  readonly subject: FromResult<T, string>
  readonly details: FromResult<T, AuditedAct['details']>
  /** Further entries, for a request that makes several changes. */
  readonly also?: (result: T) => readonly Omit<AuditedAct, 'actor'>[]
}

const resolve = <T, V extends string | object>(value: FromResult<T, V>, result: T): V =>
  typeof value === 'function' ? value(result) : value

/** A transaction that knows what was done in it. */
const watch = (tx: Tx) => {
  const effects = new Set<ReturnType<typeof effectOf>>()
  const watched: Tx = {
    ...tx,
    query: async (query, parameters) => {
      const rows = await tx.query(query, parameters)
      effects.add(effectOf(query, rows))
      return rows
    },
    beforeCommit: (write, rows) => {
      effects.add('wrote')
      tx.beforeCommit(write, rows)
    },
  }
  return { watched, effects }
}

/**
 * Runs a change for an actor and writes its audit entry in the same transaction, with `alreadyDone` if everything was
 * done before, perhaps by somebody else. A console session must not have ended since the request began, and cannot end
 * during the change. The audit entry must never contain a token or the full number of a requisite.
 */
export const actFor = async <T>(
  context: Context,
  request: Pick<FastifyRequest, 'credential' | 'sessionId'>,
  actor: string,
  work: (tx: Tx) => Promise<T>,
  { action, subject, details, also = () => [] }: RequestedAct<T>,
): Promise<T> => {
  const { credential, sessionId } = request
  const by = { actor, credential, sessionId }
  let alreadyDone = {}
  const workInSession = async (tx: Tx): Promise<T> => {
    if (sessionId !== undefined) await holdSession(tx, sessionId)
    const { watched, effects } = watch(tx)
    const result = await work(watched)
    alreadyDone = effects.has('held') && !effects.has('wrote') ? { alreadyDone: true } : {}
    return result
  }
  return actAudited(context, workInSession, (result) => {
    const first = { action, subject: resolve(subject, result), details: resolve(details, result) }
    return [first, ...also(result)].map((each) => ({ ...by, ...each, details: { ...each.details, ...alreadyDone } }))
  })
}

/** Runs a change for the operator of a request, like `actFor`. */
export const actOnBehalf = <T>(
  context: Context,
  request: FastifyRequest,
  work: (tx: Tx) => Promise<T>,
  act: RequestedAct<T>,
): Promise<T> => actFor(context, request, actorOf(request), work, act)

/** Runs a change of several things for the operator of a request, with an audit entry for each. */
export const actOnEach = <T>(
  context: Context,
  request: FastifyRequest,
  action: string,
  work: (tx: Tx) => Promise<T>,
  entriesOf: (result: T) => readonly Pick<AuditedAct, 'subject' | 'details'>[],
): Promise<T> =>
  actOnBehalf(context, request, work, {
    action,
    subject: (result) => entriesOf(result)[0]?.subject ?? '',
    details: (result) => entriesOf(result)[0]?.details ?? {},
    also: (result) =>
      entriesOf(result)
        .slice(1)
        .map((each) => ({ action, ...each })),
  })

/**
 * Runs a change of what the path of a request names, for its operator: `transfer.assign` is an audit entry about
 * `transfer:<requisite>/<id>`. Its details are the body unless others are given.
 */
export const actOnNamed = <T>(
  context: Context,
  request: FastifyRequest,
  action: string,
  work: (tx: Tx) => Promise<T>,
  details: RequestedAct<T>['details'] = (request.body ?? {}) as AuditedAct['details'],
): Promise<T> => {
  const names = Object.values(request.params as Readonly<Record<string, string>>)
  const subject = `${action.slice(0, action.indexOf('.'))}:${names.join('/')}`
  return actOnBehalf(context, request, work, { action, subject, details })
}

/**
 * Runs a change that a merchant asks for. A change by a member in the console is in the audit under the member's name;
 * a change by a token is in the events of what it changes, and with `isAudited` in the audit as well, which names the token.
 */
export const actAsMerchant = <T>(
  context: Context,
  request: Pick<FastifyRequest, 'caller' | 'credential' | 'sessionId'>,
  work: (tx: Tx) => Promise<T>,
  act: RequestedAct<T>,
  isAudited = false,
): Promise<T> =>
  request.caller.member === null && !isAudited
    ? context.transaction(work)
    : actFor(context, request, merchantActorOf(request), work, act)

/** The merchant of a request, or its member in the console, as the audit names it. */
export const merchantActorOf = ({ caller }: Pick<FastifyRequest, 'caller'>): string =>
  caller.member === null ? `merchant:${caller.merchantId}` : `member:${caller.member}`

/** The operator of a request, as events and the audit name it. */
export const actorOf = (request: Pick<FastifyRequest, 'operator'>): string => `operator:${request.operator}`

/** The operator of a request, as somebody who decides on what others have reported (`Assigner`). */
export const secondOf = (context: Context, request: FastifyRequest): Omit<Assigner, 'note'> => {
  const actor = actorOf(request)
  return {
    actor,
    refuseOnePerson: (tx, author) => requireTwo(context, tx, author, actor),
    loneReport: (tx) => asLoneReport(context, tx, actor),
  }
}

/** The operator of a request, if what this one alone reports has a bound. */
export const loneActor = async (context: Context, request: FastifyRequest, tx: Tx): Promise<string | null> =>
  (await asLoneReport(context, tx, actorOf(request)))?.by ?? null

/** The same, as somebody who sets what two people with one of some duties must agree on where there are two. */
export const agreeingOf = async (
  context: Context,
  request: FastifyRequest,
  tx: Tx,
  wanted: readonly Duty[] = ['account'],
) => ({
  ...secondOf(context, request),
  needsSecond: await hasTwoPeople(context, tx, wanted),
  hasTwo: await hasTwoPeople(context, tx, moneyDuties),
})

/** The operator of a request, as `secondOf` gives it. */
export type Second = ReturnType<typeof secondOf>
