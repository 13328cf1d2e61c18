import type { Context, Tx } from '../context.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { AloneBound, LoneReport } from '../../rules/money/settlement.ts'
import { mayDo, type Duty, duties, type Role } from '../../rules/members/access.ts'
import { day, type Instant, windowAround } from '../../rules/time.ts'
import { findPeople, countPeople } from './store.ts'

const nameOf = (actor: string): string => actor.replace(/^operator:/, '')

const isYoung = ({ settings }: Context, tx: Tx, { vouchedAt }: { readonly vouchedAt: Instant }): boolean => {
  const { since, until } = windowAround(tx.now, settings.secondPersonAgeDays * day)
  return vouchedAt > since && vouchedAt <= until
}

type Person = ReturnType<typeof findPeople.decode>

const findAccounts = (tx: Tx, actors: readonly string[]) => tx.query(findPeople, { names: actors.map(nameOf) })

/** Whether an operator, as events name one, has no account of the console, but a token, or had one. */
export const isToken = async (tx: Tx, actor: string): Promise<boolean> => (await findAccounts(tx, [actor])).length === 0

const refuse = (message: string): Refusal => new Refusal('second_person_required', message)

/** Why two operators, as events name them, are not certainly two people; `undefined` if they are. */
const doubtTwo = async (context: Context, tx: Tx, author: string, second: string): Promise<Refusal | undefined> => {
  if (author === second) return refuse('The author and whoever approves must be two people, but they are one.')
  const [one, other] = [nameOf(author), nameOf(second)]
  const people = await findAccounts(tx, [author, second])
  // Whoever runs the service gives each token to a person.
  if (people.length === 0) return undefined
  if (people.length === 1)
    return refuse(
      `The author and whoever approves must be two people, but of ${one} and ${other} one is an account of the console, the other a token.`,
    )
  const made = people.find(({ vouchedBy }) => vouchedBy !== null)
  if (made)
    return refuse(
      `The author and whoever approves must be two people, but ${made.vouchedBy} has invited ${made.name}, or reset the password or second factor, or did so for somebody who has.`,
    )
  const young = people.find((each) => isYoung(context, tx, each))
  if (young === undefined) return undefined
  return refuse(
    `The author and whoever approves must be two people, but the account ${young.name} is too new, or was reset too lately (PAYIN_SECOND_PERSON_AGE_DAYS).`,
  )
}

/**
 * Refuses `second_person_required` if one operator decides on a draft of another one and the two, as events name them,
 * are not certainly two people. An account and a token may belong to one person. So may two accounts if one is new, if
 * somebody reset its password or second factor lately, or if one invited or reset the other. Accounts and tokens never
 * share a name. What an author may decide alone is checked elsewhere.
 */
export const refuseOnePerson = async (context: Context, tx: Tx, author: string, second: string): Promise<void> => {
  if (author !== second) await requireTwo(context, tx, author, second)
}

/** As `refuseOnePerson`, where an author may decide nothing alone. */
export const requireTwo = async (context: Context, tx: Tx, author: string, second: string): Promise<void> => {
  const doubt = await doubtTwo(context, tx, author, second)
  if (doubt !== undefined) throw doubt
}

/** Whether an operator still moves money. A bank or a source, which events name differently, has no access to lose. */
const mayMoveMoney = (context: Context, by: string, account: Person | undefined): boolean => {
  if (!by.startsWith('operator:')) return true
  const { role } = account ?? context.operators.find(({ name }) => name === nameOf(by)) ?? { role: null }
  return role !== null && moneyDuties.some((duty) => mayDo(role, duty))
}

/**
 * Up to how many millionths of USDT in 24 hours an operator may decide something alone. Where two people move money, a
 * new account, or one that was just reset, may decide nothing alone: else whoever invites accounts would have the bound of
 * each of them. Nor does anything still stand on the word of somebody who may no longer decide about money.
 */
export const findAloneBound = async (context: Context, tx: Tx, by: string): Promise<bigint> => {
  const [account] = await findAccounts(tx, [by])
  if (!mayMoveMoney(context, by, account)) return 0n
  const isNew = account !== undefined && isYoung(context, tx, account) && (await hasTwoPeople(context, tx, moneyDuties))
  return isNew ? 0n : context.settings.secondPersonAbove
}

/** As `findAloneBound`, for what has no bound where nobody else could agree and its worth is unknown. */
export const findAlone = async (context: Context, tx: Tx, by: string): Promise<AloneBound> => ({
  above: await findAloneBound(context, tx, by),
  hasTwo: await hasTwoPeople(context, tx, moneyDuties),
})

/**
 * Up to how many millionths of USDT in 24 hours an operator explains money alone that a bank reports; null where nobody
 * else could agree. Rules of somebody who may no longer decide about money explain nothing there, either.
 */
export const findExplainBound =
  (context: Context, by: string) =>
  async (tx: Tx): Promise<bigint | null> => {
    const [account] = await findAccounts(tx, [by])
    if (!mayMoveMoney(context, by, account)) return 0n
    return (await hasTwoPeople(context, tx, moneyDuties)) ? findAloneBound(context, tx, by) : null
  }

/** The same as `findAloneBound` for what an operator reports. */
export const findReportBound = async (context: Context, tx: Tx, by: string): Promise<bigint> => {
  const above = await findAloneBound(context, tx, by)
  return above === 0n ? above : (context.settings.loneReportsAbove ?? above)
}

/**
 * The report of an operator, with its bound; null if a second person confirms it, or it has no bound. `author` made what
 * the operator confirms.
 */
export const asLoneReport = async (context: Context, tx: Tx, by: string, author = by): Promise<LoneReport | null> => {
  const { loneReportsAbove } = context.settings
  if (loneReportsAbove === undefined && !(await hasTwoPeople(context, tx, moneyDuties))) return null
  const doubt = await doubtTwo(context, tx, author, by)
  if (doubt === undefined) return null
  return { by, above: await findReportBound(context, tx, by), ...(author !== by && { doubt: doubt.message }) }
}

/** The duties of those who move money, or decide where it goes. */
export const moneyDuties = ['decide', 'reconcile', 'account', 'configure'] as const satisfies readonly Duty[]

/**
 * Whether an installation has two people who may each do what belongs to one of some duties: then the bounds of what one
 * person may do alone apply without a setting. Counts tokens, or accounts that are old enough to be a second person (see
 * `refuseOnePerson`).
 */
export const hasTwoPeople = async (context: Context, tx: Tx, wanted: readonly Duty[]): Promise<boolean> => {
  const roles = new Set<Role>(wanted.flatMap((duty) => duties[duty]))
  if (context.operators.filter(({ role }) => roles.has(role)).length > 1) return true
  const young = windowAround(tx.now, context.settings.secondPersonAgeDays * day)
  const [counted] = await tx.query(countPeople, { roles: [...roles], ...young })
  return (counted?.people ?? 0) > 1
}
