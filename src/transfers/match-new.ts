import type { Tx } from '../context.ts'
import type { Candidate } from '../domain/candidate.ts'
import { type Duplicate, possibleDuplicate } from '../domain/duplicate.ts'
import { isExactlyHeld, type Match, matchTransfer } from '../domain/match.ts'
import { suggest } from '../domain/suggest.ts'
import type { ReportedTransfer } from '../domain/transfer.ts'
import type { Candidates } from '../payments/lock-candidates.ts'
import { withPayerNames } from './with-payer-names.ts'

type NewTransfer = ReportedTransfer & { readonly senderIndex: string | null }

/** The match of a transfer, and the payments among which it was found: all locked, if one of them is given the money. */
const findMatch = async (
  candidates: Candidates,
  transfer: NewTransfer,
): Promise<{ readonly match: Match; readonly offered: readonly Candidate[] }> => {
  const decide = (offered: readonly Candidate[]) => ({ match: matchTransfer(transfer, offered), offered })
  const exact = candidates.exact(transfer)
  if (isExactlyHeld(transfer, exact)) return decide(exact)
  const tentative = decide(await candidates.all(transfer))
  // The inbox is safe, even if another report has just paid one of them; a credit is not.
  return 'candidate' in tentative.match ? decide(await candidates.allLocked(transfer)) : tentative
}

/** Matches a new transfer; one that may be a duplicate waits in the inbox with what it would have been given to. */
export const matchNew = async (
  tx: Tx,
  candidates: Candidates,
  transfer: NewTransfer,
  duplicate: Duplicate | undefined,
): Promise<Match> => {
  const { match, offered } = await findMatch(candidates, transfer)
  const isMatched = 'candidate' in match
  if (!duplicate && isMatched) return match
  // Names only rank an operator's suggestions, so they are read only for those.
  const hasName = (transfer.senderName ?? null) !== null
  const named = hasName ? await withPayerNames(tx, isMatched ? [match.candidate] : offered) : []
  const ranked = hasName && !isMatched ? matchTransfer(transfer, named) : match
  if (!duplicate) return ranked
  const own = isMatched && named.length === 0 ? [match.candidate] : named
  const suggestions = 'suggestions' in ranked ? ranked.suggestions : suggest(transfer, own)
  return possibleDuplicate(match, suggestions, duplicate, transfer.channel ?? '')
}
