import type { Tx } from '../../context.ts'
import type { OperatorPurpose } from '../../../rules/transfers/outgoing.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { secondPersonWindowMs } from '../../../rules/money/settlement.ts'
import { isReal } from '../../requisites/read.ts'
import { findBeyond } from '../lone-reports/hold-lone-reports.ts'
import type { Assigner } from '../transfer-parts.ts'
import { type StoredOutgoing, sumExplainedAlone } from './store.ts'

/** An operator who says what outgoing money was for, or that a reversal concerns nothing here. */
export type Explainer = Omit<Assigner, 'note'> & {
  /** Up to how many millionths of USDT within 24 hours the operator explains alone; null where nobody else could agree. */
  readonly findBound: (tx: Tx) => Promise<bigint | null>
}

/** Without a purpose: that it is the same money as another outgoing transfer. */
type Purpose = {
  readonly purpose: OperatorPurpose | null
  readonly merchantId: string | null
  readonly documentId: string | null
}

/** Whether an operator would, with what the same one explained lately, explain more real money than one person may. */
const isBeyondOne = async (
  tx: Tx,
  outgoing: StoredOutgoing,
  { actor, findBound }: Pick<Explainer, 'actor' | 'findBound'>,
): Promise<boolean> => {
  const above = await findBound(tx)
  if (above === null || !(await isReal(tx, outgoing.requisiteId))) return false
  const before = await tx.query(sumExplainedAlone, { decidedBy: actor, since: tx.now - secondPersonWindowMs })
  return (await findBeyond(tx, above, before, [outgoing])).length > 0
}

/**
 * Refuses `second_person_required` if the money came in elsewhere only on the word of the operator who says so, beyond
 * what one person may explain.
 */
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

/**
 * Who else still says what booked money was for, after an operator has taken back to have said so; null if nobody. Where
 * two people move money, what another one has said stays, however small: nothing would count how much one person takes
 * back. Refuses `second_person_required` if the operator has not said it.
 */
export const takeWordBack = async (tx: Tx, outgoing: StoredOutgoing, explainer: Explainer): Promise<string | null> => {
  const deciders = (outgoing.decidedBy ?? '').split(/, (?=operator:)/)
  const others = deciders.filter((each) => each !== explainer.actor && each !== 'service')
  if (others.length === 0 || (await explainer.findBound(tx)) === null) return null
  const names = others.map((each) => each.replace(/^operator:/, '')).join(' and ')
  if (others.length === deciders.length)
    throw new Refusal(
      'second_person_required',
      `It is booked as ${names} said: let ${names} unbook it, or let two operators correct the books by an adjustment.`,
    )
  return others.join(', ')
}

/**
 * Who explains locked, unexplained money: an operator alone up to a bound, or two who want the same; null if it
 * first needs another operator. Money that came in on another account, or that the bank gave back, has no bound. Refuses
 * `second_person_required` if the two may be one person.
 */
export const agreeOnPurpose = async (
  tx: Tx,
  outgoing: StoredOutgoing,
  wanted: Purpose,
  { actor, findBound, refuseOnePerson }: Explainer,
): Promise<string | null> => {
  if (
    wanted.purpose === 'own-account' ||
    outgoing.givenBack ||
    !(await isBeyondOne(tx, outgoing, { actor, findBound }))
  )
    return actor
  const { purpose, merchantId, documentId, decidedBy: author } = outgoing
  const isSame = purpose === wanted.purpose && merchantId === wanted.merchantId && documentId === wanted.documentId
  if (author === null || author === actor || !isSame) return null
  await refuseOnePerson(tx, author)
  return `${author}, ${actor}`
}
