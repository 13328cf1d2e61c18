import type { Tx } from '../context.ts'
import type { Candidate, IncomingTransfer } from '../domain/candidate.ts'
import { type Duplicate, possibleDuplicate } from '../domain/duplicate.ts'
import { judgeCandidates } from '../domain/evidence.ts'
import { type Match, matchTransfer } from '../domain/match.ts'
import { suggest } from '../domain/suggest.ts'
import type { ReportedTransfer } from '../domain/transfer.ts'
import { type Candidates, isForExactAmount } from '../payments/lock-candidates.ts'
import { withPayerNames } from './with-payer-names.ts'

type NewTransfer = ReportedTransfer & Pick<IncomingTransfer, 'senderIndex' | 'senderMasked' | 'paidBefore'>

/** The match of a transfer, and the payments among which it was found: all locked, if one of them is given the money. */
const findMatch = async (
  tx: Tx,
  candidates: Candidates,
  transfer: NewTransfer,
): Promise<{ readonly match: Match; readonly offered: readonly Candidate[] }> => {
  const decide = (offered: readonly Candidate[]) => ({ match: matchTransfer(transfer, offered), offered })
  // Names decide only against somebody, and rank the suggestions, so they are read only for what would wait.
  const decideByName = async (offered: readonly Candidate[]) => {
    const first = decide(offered)
    const hasName = (transfer.senderName ?? null) !== null && offered.length > 0
    return hasName && !('candidate' in first.match) ? decide(await withPayerNames(tx, offered)) : first
  }
  const nearest = decide(await candidates.nearest(transfer))
  if (isForExactAmount(transfer, nearest.match) && nearest.match.candidate.payment.requisiteShown) return nearest
  const tentative = await decideByName(await candidates.all(transfer))
  // The inbox is safe, even if another report has just paid one of them; a credit is not.
  if (!('candidate' in tentative.match) || isForExactAmount(transfer, tentative.match)) return tentative
  return decideByName(await candidates.allLocked(transfer))
}

/** Matches a new transfer; one that may be a duplicate waits in the inbox with what it would have been given to. */
export const matchNew = async (
  tx: Tx,
  candidates: Candidates,
  transfer: NewTransfer,
  duplicate: Duplicate | undefined,
): Promise<Match> => {
  const { match, offered } = await findMatch(tx, candidates, transfer)
  if (!duplicate) return match
  const own = 'candidate' in match ? await withPayerNames(tx, [match.candidate]) : offered
  const suggestions = 'suggestions' in match ? match.suggestions : suggest(transfer, judgeCandidates(transfer, own))
  return possibleDuplicate(match, suggestions, duplicate, transfer.channel ?? '')
}
