import type { Tx } from '../context.ts'
import { earliestOf } from '../../rules/statements/booked-time.ts'
import type { Candidate, IncomingTransfer } from '../../rules/transfers/candidate.ts'
import { type Duplicate, possibleDuplicate } from '../../rules/transfers/duplicate.ts'
import { judgeCandidates } from '../../rules/transfers/evidence.ts'
import { type Match, matchTransfer } from '../../rules/transfers/match.ts'
import { suggest } from '../../rules/transfers/suggest.ts'
import type { ReportedTransfer } from '../../rules/transfers/transfer.ts'
import { type Candidates, isForExactAmount } from '../payments/lock-candidates.ts'
import { withPayerNames } from './with-payer-names.ts'

type NewTransfer = ReportedTransfer & Pick<IncomingTransfer, 'senderIndex' | 'senderMasked' | 'paidBefore'>

type Found = { readonly match: Match; readonly offered: readonly Candidate[] }

/**
 * Whether a payment that needs exactly the money gets it: then payments of other amounts do not matter. They do for the
 * rest of a payment, which may be half of what another one needs.
 */
const isFinal = (transfer: NewTransfer, { match }: Found): boolean => {
  if (!isForExactAmount(transfer, match)) return false
  const { requisiteShown, status, received } = match.candidate.payment
  return requisiteShown && (status !== 'processing' || received === 0n)
}

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
  if (isFinal(transfer, nearest)) return nearest
  const tentative = await decideByName(await candidates.all(transfer))
  // The inbox is safe, even if another report has just paid one of them; a credit is not.
  if (!('candidate' in tentative.match) || isForExactAmount(transfer, tentative.match)) return tentative
  return decideByName(await candidates.allLocked(transfer))
}

const unknownDay = 'the file does not say on which day the money arrived: the last day of its period was taken'

/**
 * Matches a new transfer; one that may be a duplicate, whose day is not known, or that is `held`, waits in the inbox.
 */
export const matchNew = async (
  tx: Tx,
  candidates: Candidates,
  transfer: NewTransfer,
  duplicate: Duplicate | undefined,
  held: string | undefined,
): Promise<Match> => {
  const { match, offered } = await findMatch(tx, candidates, transfer)
  const isHeld = held !== undefined && 'candidate' in match
  if (!duplicate && !transfer.isDayUnknown && !isHeld) return match
  const own = 'candidate' in match ? await withPayerNames(tx, [match.candidate]) : offered
  const suggestions = 'suggestions' in match ? match.suggestions : suggest(transfer, judgeCandidates(transfer, own))
  if (duplicate) return possibleDuplicate(match, suggestions, duplicate, transfer.channel ?? '')
  const would = `without that: ${match.outcome}, ${match.reasons.join(', ')}`
  const reasons = [...(transfer.isDayUnknown ? [unknownDay] : []), ...(isHeld ? [held] : []), would]
  return { outcome: 'ambiguous', suggestions, reasons }
}
