import type { Tx } from '../../context.ts'
import { lockAdding, type Query } from 'payin-database'
import type { OperatorPurpose } from '../../../rules/transfers/outgoing.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { secondPersonWindow } from '../../../rules/money/settlement.ts'
import { type AnnouncedDetails, isProvenReturn } from '../../../rules/transfers/announced.ts'
import { isReal } from '../../requisites/read.ts'
import { findBeyond } from '../lone-reports/hold-lone-reports.ts'
import type { Assigner } from '../transfer-parts.ts'
import { describeAnnounced } from './candidates/describe-announced.ts'
import { payeeDetails } from './payee-details.ts'
import { listConfirmedAlone, type StoredOutgoing, sumExplainedAlone } from './store.ts'

/** An operator who says what outgoing money was for, or that a reversal concerns nothing here. */
export type Explainer = Omit<Assigner, 'note'> & {
  /** Up to how many millionths of USDT within 24 hours the operator explains alone; null where nobody else could agree. */
  readonly findBound: (tx: Tx) => Promise<bigint | null>
}

/** Without a purpose: it returned the money of a payment or document; without these, it is another one's money. */
type Purpose = Pick<StoredOutgoing, 'merchantId' | 'paymentId' | 'documentId'> & {
  readonly purpose: OperatorPurpose | null
}

/**
 * Who decides what has a bound: an operator alone within it; beyond it, with the `author` of the same proposal, or null
 * because it first needs another operator. Refuses `second_person_required` if the two may be one person.
 */
const agree = async (
  tx: Tx,
  isBeyond: boolean,
  author: string | null,
  { actor, refuseOnePerson }: Pick<Explainer, 'actor' | 'refuseOnePerson'>,
): Promise<string | null> => {
  if (!isBeyond) return actor
  if (author === null || author === actor) return null
  await refuseOnePerson(tx, author)
  return `${author}, ${actor}`
}

/** What has a bound besides outgoing money: acts of an operator, named for their lock, each with its money. */
type Bounded = {
  readonly acts: string
  readonly before: Query<{ readonly by: string } & ReturnType<typeof secondPersonWindow>, Money>
  readonly money: readonly Money[]
  readonly author: string | null
}

/** As `agree`, for what an operator does within 24 hours, after the same one's other acts have ended. */
export const agreeWithinBound = async (
  tx: Tx,
  { acts, before, money, author }: Bounded,
  explainer: Explainer,
): Promise<string | null> => {
  const { actor: by, findBound } = explainer
  const above = await findBound(tx)
  if (above === null) return by
  await lockAdding(tx, `${acts} by ${by}`)
  const done = await tx.query(before, { by, ...secondPersonWindow(tx.now) })
  return agree(tx, (await findBeyond(tx, above, done, money)).length > 0, author, explainer)
}

type Money = Pick<StoredOutgoing, 'currency' | 'amount'>

type Reported = Pick<StoredOutgoing, 'id' | 'requisiteId' | 'currency' | 'amount' | 'bookedAt' | 'detailsSealed'>

/**
 * Whether the bank proves of outgoing money that it was returned, whatever its decider says: by its payee, or by its text
 * if `isOther` says that none of those who set its names is the decider.
 */
export const isReturnedByBank = (
  { vault }: Pick<Tx, 'vault'>,
  { id, detailsSealed, amount, bookedAt }: Reported,
  known: AnnouncedDetails | undefined,
  isOther: (setBy: string) => boolean = (setBy) => !setBy.startsWith('operator:'),
): boolean =>
  known !== undefined && isProvenReturn({ ...payeeDetails(vault, id, detailsSealed), amount, bookedAt }, known, isOther)

/** What an operator alone has explained of real money within 24 hours, but for what the bank proves. */
const listExplained = async (tx: Tx, decidedBy: string) => {
  const window = secondPersonWindow(tx.now)
  const confirmed = await tx.query(listConfirmedAlone, { decidedBy, ...window })
  const details = await describeAnnounced(
    tx,
    confirmed.map(({ documentId, ...each }) => ({ ...each, id: documentId ?? '' })),
  )
  const unproven = confirmed.filter((each) => !isReturnedByBank(tx, each, details.get(each.documentId ?? '')))
  return [...(await tx.query(sumExplainedAlone, { decidedBy, ...window })), ...unproven]
}

type Explaining = Pick<Explainer, 'actor' | 'findBound'>

/**
 * The outgoing transfers, in their order, that an operator may explain alone, each with what the same one explained
 * lately, with `others`, and with those before it.
 */
export const listWithinOne = async <Each extends Pick<Reported, 'requisiteId' | 'currency' | 'amount'>>(
  tx: Tx,
  outgoing: readonly Each[],
  { actor, findBound }: Explaining,
  others: readonly Money[] = [],
): Promise<readonly Each[]> => {
  const above = await findBound(tx)
  if (above === null) return outgoing
  const counted = [...(await listExplained(tx, actor)), ...others]
  const within: Each[] = []
  for (const each of outgoing) {
    const isCounted = await isReal(tx, each.requisiteId)
    if (isCounted && (await findBeyond(tx, above, counted, [each])).length > 0) continue
    if (isCounted) counted.push(each)
    within.push(each)
  }
  return within
}

/** Whether an operator would explain more real money than one person may, as `listWithinOne` counts it. */
export const isBeyondOne = async (
  tx: Tx,
  outgoing: Pick<Reported, 'requisiteId' | 'currency' | 'amount'>,
  explaining: Explaining,
  others: readonly Money[] = [],
): Promise<boolean> => (await listWithinOne(tx, [outgoing], explaining, others)).length === 0

/** Refuses `second_person_required` for money in on the word of who explains it, beyond what one may explain. */
export const refuseOwnReport = async (
  tx: Tx,
  outgoing: StoredOutgoing,
  reportedBy: string | null,
  explainer: Explainer,
): Promise<void> => {
  if (reportedBy === explainer.actor && (await isBeyondOne(tx, outgoing, explainer)))
    throw new Refusal(
      'second_person_required',
      'You have reported the transfer as which it came in, and this is more than one person may explain within 24 hours: let another operator book it.',
    )
}

/** Who says what the service has booked of real money, while only one operator would unbook it; else null. */
const takeServiceBack = async (
  tx: Tx,
  outgoing: StoredOutgoing,
  author: string | undefined,
  explainer: Explainer,
): Promise<string | null> => {
  const { actor, findBound, refuseOnePerson } = explainer
  if (outgoing.givenBack || (await findBound(tx)) === null || !(await isReal(tx, outgoing.requisiteId))) return null
  if (author === undefined || author === actor) return `service, ${actor}`
  await refuseOnePerson(tx, author)
  return null
}

/**
 * Who else still says what money out was for, after an operator has taken that back; null if nobody. Where two people
 * move money, what another one has said stays, however small: nothing would count how much one person takes back. What
 * the service has booked stays until two would unbook it. Refuses `second_person_required` if the operator has not said
 * it.
 */
export const takeWordBack = async (tx: Tx, outgoing: StoredOutgoing, explainer: Explainer): Promise<string | null> => {
  const deciders = (outgoing.decidedBy ?? '').split(/, (?=operator:)/)
  if (deciders[0] === 'service') return takeServiceBack(tx, outgoing, deciders[1], explainer)
  const others = deciders.filter((each) => each !== explainer.actor)
  if (others.length === 0 || (await explainer.findBound(tx)) === null) return null
  const names = others.map((each) => each.replace(/^operator:/, '')).join(' and ')
  if (others.length === deciders.length)
    throw new Refusal(
      'second_person_required',
      `It is as ${names} said: let ${names} take that back, or let two operators correct the books by an adjustment.`,
    )
  return others.join(', ')
}

/**
 * Who explains locked, unexplained money: an operator alone up to a bound, or two who want the same; null if it first
 * needs another operator. Money that came in on another account, or that the bank gave back, has no bound.
 */
export const agreeOnPurpose = async (
  tx: Tx,
  outgoing: StoredOutgoing,
  wanted: Purpose,
  explainer: Explainer,
): Promise<string | null> => {
  const isFree = wanted.purpose === 'own-account' || outgoing.givenBack
  const said = ['purpose', 'merchantId', 'paymentId', 'documentId'] as const
  const isSame = said.every((each) => outgoing[each] === wanted[each])
  const isBeyond = !isFree && (await isBeyondOne(tx, outgoing, explainer))
  return agree(tx, isBeyond, isSame ? outgoing.decidedBy : null, explainer)
}
