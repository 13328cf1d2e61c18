import type { Tx } from '../context.ts'
import { earliestOf } from '../../rules/values/booked-time.ts'
import type { Candidate, IncomingTransfer } from '../../rules/transfers/candidate.ts'
import { type Duplicate, possibleDuplicate } from '../../rules/transfers/duplicate.ts'
import { judgeCandidates } from '../../rules/transfers/evidence.ts'
import { isFinal, isForExactAmount, type Match, matchTransfer } from '../../rules/transfers/match.ts'
import { namedPayments } from '../../rules/transfers/named-order.ts'
import { suggest } from '../../rules/transfers/suggest.ts'
import type { ReportedTransfer } from '../../rules/transfers/transfer.ts'
import type { Candidates } from '../payments/lock-candidates.ts'
import { isQuotedHigh } from '../merchants/rates/rate.ts'
import { listTexts } from './store.ts'
import { openSealed } from './sealed-transfers.ts'
import { withPayerNames } from './payers/with-payer-names.ts'

type NewTransfer = ReportedTransfer &
  Pick<IncomingTransfer, 'senderIndex' | 'senderMasked' | 'paidBefore' | 'otherTexts'> & {
    readonly id: string
    /** Who alone reported it. */
    readonly reportedBy: string | null
  }

type Found = { readonly match: Match; readonly offered: readonly Candidate[] }

/** The match of a transfer, and the payments among which it was found: all locked, if one of them is given the money. */
const findMatch = async (tx: Tx, candidates: Candidates, transfer: NewTransfer): Promise<Found> => {
  const decide = (offered: readonly Candidate[]): Found => ({ match: matchTransfer(transfer, offered), offered })
  // Who has paid before decides only among several payments, and whether one is paid again; else it ranks suggestions.
  const decideByName = async (offered: readonly Candidate[]): Promise<Found> => {
    const found = decide(offered)
    const isReported = Boolean(transfer.senderName ?? transfer.senderBank)
    const isClear = offered.length === 1 && 'candidate' in found.match && found.match.outcome !== 'paid-again'
    if (!isReported || isClear) return found
    const held = offered.filter(({ heldUntil }) => heldUntil > earliestOf(transfer))
    const named = await withPayerNames(tx, held)
    return decide([...named, ...offered.filter((each) => !held.includes(each))])
  }
  const nearest = await decideByName(await candidates.nearest(transfer))
  if (isFinal(transfer, nearest.match)) return nearest
  const tentative = await decideByName(await candidates.all(transfer))
  // The inbox is safe, even if another report has just paid one of them; a credit is not.
  if (!('candidate' in tentative.match) || isForExactAmount(transfer, tentative.match)) return tentative
  return decideByName(await candidates.allLocked(transfer))
}

type Text = NonNullable<NewTransfer['otherTexts']>[number] & { readonly id: string }

/** What the transfers of one report have in common: the payments that they may be for, and texts, by requisite. */
type Shared = { readonly candidates: Candidates; readonly texts: Map<string, readonly Text[]> }

const mostTexts = 100

const withOtherTexts = async (tx: Tx, { texts }: Shared, transfer: NewTransfer): Promise<NewTransfer> => {
  const { requisiteId, id } = transfer
  const read = async (): Promise<Text[]> => {
    const rows = await tx.query(listTexts, { requisiteId, limit: mostTexts })
    return rows.flatMap(({ id: of, sender, textSealed }) => {
      const text = openSealed(tx, 'text_sealed', of, textSealed)
      return sender === null || text === null ? [] : [{ id: of, sender, text }]
    })
  }
  const all = texts.get(requisiteId) ?? (await read())
  texts.set(requisiteId, all)
  return { ...transfer, otherTexts: all.filter((each) => each.id !== id) }
}

/** Whether a transfer waits though its text names a payment, while payments of several merchants may be meant. */
const isInDoubtByText = (transfer: NewTransfer, { match, offered }: Found): boolean => {
  if ('candidate' in match) return false
  const payments = offered.map(({ payment }) => payment)
  return new Set(payments.map(({ merchantId }) => merchantId)).size > 1 && namedPayments(transfer, payments).size > 0
}

const unknownDay = 'the file does not say on which day the money arrived: the last day of its period was taken'

const quotedHigh =
  "one person's report, for a payment whose rate is lower than by the lowest rates of both currencies: another operator or a statement decides"

/**
 * Matches a new transfer. A possible duplicate, one of an unknown day, one that is held `anyway`, and a lone one for a
 * payment that would be credited too high wait in the inbox.
 */
export const matchNew = async (
  tx: Tx,
  shared: Shared,
  reported: NewTransfer,
  duplicate: Duplicate | undefined,
  anyway: string | undefined,
): Promise<Match> => {
  const { candidates } = shared
  const found = await findMatch(tx, candidates, reported)
  const isDoubtful = isInDoubtByText(reported, found)
  const transfer = isDoubtful ? await withOtherTexts(tx, shared, reported) : reported
  const { match, offered } = isDoubtful ? await findMatch(tx, candidates, transfer) : found
  const isLoneHigh =
    reported.reportedBy !== null && 'candidate' in match && (await isQuotedHigh(tx, match.candidate.payment, tx.now))
  const held = anyway ?? (isLoneHigh ? quotedHigh : undefined)
  const isHeld = held !== undefined && 'candidate' in match
  if (!duplicate && !transfer.isDayUnknown && !isHeld) return match
  const own = 'candidate' in match ? await withPayerNames(tx, [match.candidate]) : offered
  const suggestions = 'suggestions' in match ? match.suggestions : suggest(transfer, judgeCandidates(transfer, own))
  if (duplicate) return possibleDuplicate(match, suggestions, duplicate, transfer.channel ?? '')
  const would = `without that: ${match.outcome}, ${match.reasons.join(', ')}`
  const reasons = [...(transfer.isDayUnknown ? [unknownDay] : []), ...(isHeld ? [held] : []), would]
  return { outcome: 'ambiguous', suggestions, reasons }
}
