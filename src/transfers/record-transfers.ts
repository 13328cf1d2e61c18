import type { Tx } from '../context.ts'
import { accountDigits, senderKind } from '../domain/account-number.ts'
import { maskSource } from '../domain/masking.ts'
import { isExactlyHeld, type Match, matchTransfer } from '../domain/match.ts'
import { possibleRepeat } from '../domain/repeat.ts'
import { suggest, type Suggestion } from '../domain/suggest.ts'
import { creditedStatuses } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { dedupeKeys, type ReportedTransfer, sameBookingMs } from '../domain/transfer.ts'
import { lockCandidates } from '../payments/lock-candidates.ts'
import { creditPayments } from '../payments/credit-payments.ts'
import { flagSenders, type SentMoney } from '../risk/flag-senders.ts'
import { holdSharing } from '../requisites/hold-bindings.ts'
import { requisiteCurrencies } from '../requisites/read.ts'
import { findToldElsewhere, type ToldToo } from './duplicates/find-told-elsewhere.ts'
import { mainPart } from './list-transfers.ts'
import {
  type AllocationKind,
  findUndone,
  insertAllocations,
  insertCases,
  insertTransfers,
  listTransfersByKey,
  type TransferPart,
} from './store.ts'
import { insertTellings, setRepeats } from './duplicates/store.ts'

/** What was decided about a transfer. */
export type RecordedTransfer = {
  readonly id: string
  readonly requisiteId: string
  /** Whether an earlier report had brought it already; nothing happened again then. */
  readonly repeated: boolean
  readonly outcome: string
  readonly kind: AllocationKind
  readonly merchantId: string | null
  readonly paymentId: string | null
  readonly reasons: readonly string[]
  /** Where it went, the first of them as above; several only after an operator has split it. */
  readonly parts: readonly TransferPart[]
  readonly suggestions: readonly Suggestion[]
  /** The transfer of another channel that it may be. */
  readonly repeatOf: string | null
}

/** Puts money for a requisite that shares its account on the account's first one; `sharing` are all of these, and stay so. */
export const onFirstRequisite = async <T extends { readonly requisiteId: string }>(
  tx: Tx,
  reported: readonly T[],
): Promise<(T & { readonly sharing?: readonly string[] })[]> => {
  const accounts = await holdSharing(
    tx,
    reported.map((transfer) => transfer.requisiteId),
  )
  return reported.map((transfer) => {
    const sharing = accounts.get(transfer.requisiteId)
    return sharing?.[0] === undefined ? transfer : { ...transfer, requisiteId: sharing[0], sharing }
  })
}

/** `key` tells a transfer from all others: its requisite and its dedupe key. */
type Keyed = ReportedTransfer & { readonly dedupeKey: string; readonly key: string }
type Fresh = Keyed & { readonly id: string; readonly senderIndex: string | null; readonly senderDigits: string }
type Decision = Fresh & { readonly match: Match; readonly kind: AllocationKind; readonly repeatOf: string | null }

/** Most transfers that one transaction takes. */
export const maxTransfersAtOnce = 1000

const checkTransfers = async (tx: Tx, transfers: readonly ReportedTransfer[]): Promise<void> => {
  const currencies = await requisiteCurrencies(
    tx,
    transfers.map((transfer) => transfer.requisiteId),
  )
  const errors = transfers.flatMap((transfer, index) => {
    const currency = currencies.get(transfer.requisiteId)
    const wrong = (field: string, message: string) => [
      { field: `transfers.${index}.${field}`, code: 'validation_failed', message },
    ]
    if (currency === undefined) return wrong('requisiteId', 'is not a known requisite.')
    if (currency !== transfer.currency) return wrong('currency', `must be ${currency}, the requisite's.`)
    if (transfer.amount <= 0n) return wrong('amount', 'must be greater than 0.')
    return []
  })
  if (errors.length > 0)
    throw new Refusal('validation_failed', 'Some transfers are not valid; nothing was recorded.', { errors })
}

/** One reference for what must be two transfers is refused: whichever was meant, none may be swallowed. */
const refuseReference = (index: number, message: string): Refusal => {
  const field = `transfers.${index}.bankReference`
  return new Refusal('validation_failed', `${field} ${message} Nothing was recorded.`, {
    errors: [{ field, code: 'validation_failed', message }],
  })
}

const withKeys = (transfers: readonly ReportedTransfer[]): Keyed[] => {
  const keys = dedupeKeys(transfers)
  const seen = new Set<string>()
  return transfers.map((transfer, index) => {
    const key = `${transfer.requisiteId} ${keys[index]}`
    if (seen.has(key)) throw refuseReference(index, 'is there twice with the same amount.')
    seen.add(key)
    return { ...transfer, dedupeKey: keys[index] ?? '', key }
  })
}

const insertFresh = async (tx: Tx, transfers: readonly Keyed[]): Promise<Fresh[]> => {
  const rows = transfers.map((transfer) => ({
    ...transfer,
    id: tx.newId(),
    senderIndex: transfer.sender === null ? null : tx.vault.blindIndex('payer', accountDigits(transfer.sender)),
    senderDigits: maskSource(transfer.sender ?? ''),
  }))
  const inserted = await tx.query(insertTransfers, {
    requisiteIds: rows.map((row) => row.requisiteId),
    ids: rows.map((row) => row.id),
    dedupeKeys: rows.map((row) => row.dedupeKey),
    currencies: rows.map((row) => row.currency),
    amounts: rows.map((row) => row.amount),
    bookedAts: rows.map((row) => row.bookedAt),
    sources: rows.map((row) => row.source),
    bankReferences: rows.map((row) => row.bankReference),
    sendersSealed: rows.map((row) =>
      row.sender === null
        ? null
        : tx.vault.encrypt(row.sender, { table: 'transfers', column: 'sender_sealed', row: row.id }),
    ),
    sendersMasked: rows.map((row) => row.senderDigits),
    textsSealed: rows.map((row) =>
      row.text === undefined
        ? null
        : tx.vault.encrypt(row.text, { table: 'transfers', column: 'text_sealed', row: row.id }),
    ),
    senderBanks: rows.map((row) => row.senderBank ?? null),
    senderIndexes: rows.map((row) => row.senderIndex),
    channels: rows.map((row) => row.channel ?? null),
    referenceKinds: rows.map((row) => row.referenceKind ?? null),
    recordedAt: tx.now,
  })
  const ids = new Set(inserted.map((row) => row.id))
  return rows.filter((row) => ids.has(row.id))
}

/** New transfers that may be ones of other channels, by their ids, with the ids of these. */
const findRepeats = async (tx: Tx, fresh: readonly Fresh[], toldToo: ToldToo): Promise<Map<string, string>> => {
  const reports = fresh.map((transfer) => ({
    ...transfer,
    senderMasked: transfer.senderDigits,
    referenceKind: transfer.referenceKind ?? null,
  }))
  const pairs = await findToldElsewhere(tx, reports, toldToo)
  const repeats = [...pairs].flatMap(([place, other]) => {
    const transfer = fresh[place]
    return transfer ? [{ requisiteId: transfer.requisiteId, id: transfer.id, repeatOf: other.id }] : []
  })
  if (repeats.length > 0) {
    await tx.query(setRepeats, {
      requisiteIds: repeats.map((each) => each.requisiteId),
      transferIds: repeats.map((each) => each.id),
      repeatOf: repeats.map((each) => each.repeatOf),
    })
  }
  return new Map(repeats.map((each) => [each.id, each.repeatOf]))
}

const decide = async (tx: Tx, fresh: readonly Fresh[], toldToo: ToldToo): Promise<Decision[]> => {
  const credits = creditPayments(tx)
  const candidates = await lockCandidates(tx, fresh, (payment) => credits.current(payment))
  // Behind the locks: another channel that reports the same money now has come to its end by then.
  const repeats = await findRepeats(tx, fresh, toldToo)
  const match = async (transfer: Fresh): Promise<Match> => {
    const exact = candidates.exact(transfer)
    const matched = matchTransfer(transfer, isExactlyHeld(transfer, exact) ? exact : await candidates.all(transfer))
    const repeatOf = repeats.get(transfer.id)
    if (repeatOf === undefined) return matched
    const suggestions = 'candidate' in matched ? suggest(transfer, [matched.candidate]) : matched.suggestions
    return possibleRepeat(matched, suggestions, repeatOf)
  }
  const dispose = (transfer: Fresh, matched: Match): Decision => {
    const arriving = { transferId: transfer.id, requisiteId: transfer.requisiteId, amount: transfer.amount }
    const decided = { ...transfer, match: matched, repeatOf: repeats.get(transfer.id) ?? null }
    if (!('candidate' in matched)) {
      credits.suspend(transfer.currency, arriving)
      return { ...decided, kind: 'suspense' }
    }
    const { payment } = matched.candidate
    credits.receive(payment, arriving, transfer.bookedAt, transfer.senderDigits)
    return { ...decided, kind: creditedStatuses.has(payment.status) ? 'overpayment' : 'payment' }
  }
  const decisions: Decision[] = []
  for (const transfer of fresh.toSorted((a, b) => a.bookedAt - b.bookedAt || (a.id < b.id ? -1 : 1))) {
    const matched = await match(transfer)
    decisions.push(dispose(transfer, matched))
    if (!('candidate' in matched)) continue
    const after = credits.current(matched.candidate.payment)
    if (after.status === 'processing' && after.received > 0n) await candidates.waitsForRest(after)
  }
  await credits.write()
  return decisions
}

const writeDecisions = async (tx: Tx, decisions: readonly Decision[]): Promise<void> => {
  const paymentOf = ({ match }: Decision) => ('candidate' in match ? match.candidate.payment : undefined)
  await tx.query(insertAllocations, {
    requisiteIds: decisions.map((decision) => decision.requisiteId),
    transferIds: decisions.map((decision) => decision.id),
    kinds: decisions.map((decision) => decision.kind),
    amounts: decisions.map((decision) => decision.amount),
    merchantIds: decisions.map((decision) => paymentOf(decision)?.merchantId ?? null),
    paymentIds: decisions.map((decision) => paymentOf(decision)?.id ?? null),
    outcomes: decisions.map((decision) => decision.match.outcome),
    reasons: decisions.map((decision) => decision.match.reasons),
    now: tx.now,
  })
  const open = decisions.filter((decision) => decision.kind === 'suspense')
  if (open.length === 0) return
  await tx.query(insertCases, {
    requisiteIds: open.map((decision) => decision.requisiteId),
    transferIds: open.map((decision) => decision.id),
    outcomes: open.map((decision) => decision.match.outcome),
    suggestions: open.map(({ match }) => ('suggestions' in match ? match.suggestions : [])),
    now: tx.now,
  })
}

const sentMoney = ({ match, sender, senderIndex, currency, amount }: Decision): SentMoney[] => {
  const kind = senderKind(sender ?? '')
  if (senderIndex === null || kind === undefined || !('candidate' in match)) return []
  const { merchantId, id: paymentId } = match.candidate.payment
  return [{ merchantId, paymentId, currency, amount, senderIndex, senderKind: kind }]
}

const toRecorded = ({ id, requisiteId, amount, match, kind, repeatOf }: Decision): RecordedTransfer => {
  const payment = 'candidate' in match ? match.candidate.payment : undefined
  const { outcome, reasons } = match
  const { merchantId = null, id: paymentId = null } = payment ?? {}
  const decided = { outcome, kind, merchantId, paymentId, reasons }
  return {
    id,
    requisiteId,
    repeated: false,
    ...decided,
    parts: [{ ...decided, amount, by: 'service', note: null }],
    suggestions: 'suggestions' in match ? match.suggestions : [],
    repeatOf,
  }
}

type Known = { readonly decision: RecordedTransfer; readonly bookedAt: Instant; readonly channel: string | null }

/** What was decided about transfers that had been reported before, by their keys. */
const readKnown = async (tx: Tx, transfers: readonly Keyed[]): Promise<Map<string, Known>> => {
  if (transfers.length === 0) return new Map()
  const rows = await tx.query(listTransfersByKey, {
    requisiteIds: transfers.map((transfer) => transfer.requisiteId),
    dedupeKeys: transfers.map((transfer) => transfer.dedupeKey),
  })
  return new Map(
    rows.map(({ id, requisiteId, parts, suggestions, bookedAt, dedupeKey, channel, repeatOf }) => {
      const decided = { ...mainPart(parts), suggestions: suggestions ?? [], repeatOf }
      const decision = { id, requisiteId, repeated: true, ...decided }
      return [`${requisiteId} ${dedupeKey}`, { bookedAt, decision, channel }]
    }),
  )
}

/** What is just being undone is known as long as it is there; told again afterwards, it counts or is a repetition. */
const refuseUndoing = (): Refusal =>
  new Refusal(
    'overloaded',
    'The statement that brought one of these transfers is being undone; nothing was recorded, send them again shortly.',
    { retryAfterSeconds: 5 },
  )

/**
 * Notes which channels have told of known transfers, too: what they tell besides is other money, and their statement is
 * not undone. Refuses `overloaded` while it is.
 */
const noteTellings = async (tx: Tx, transfers: readonly Keyed[], known: ReadonlyMap<string, Known>): Promise<void> => {
  const tellings = transfers.flatMap(({ key, channel }) => {
    const earlier = known.get(key)
    if (!earlier || channel === undefined || channel === earlier.channel) return []
    return [{ requisiteId: earlier.decision.requisiteId, transferId: earlier.decision.id, channel }]
  })
  if (tellings.length === 0) return
  const keys = {
    requisiteIds: tellings.map((each) => each.requisiteId),
    transferIds: tellings.map((each) => each.transferId),
  }
  // A new row of it locks its transfer, by its foreign key: an undoing that has not looked yet finds it, another one has
  // begun by then.
  await tx.query(insertTellings, { ...keys, channels: tellings.map((each) => each.channel) })
  if ((await tx.query(findUndone, keys)).length > 0) throw refuseUndoing()
}

/**
 * Records incoming transfers, matches them and credits payments, all or nothing; answers each at its place. A transfer
 * that was reported before is recognised and changes nothing; one that may be a transfer of another channel waits in the
 * inbox, unless `toldToo` knows that one. Refuses `validation_failed`, and `overloaded` for what is just being undone.
 */
export const recordTransfers = async (
  tx: Tx,
  reported: readonly ReportedTransfer[],
  toldToo: ToldToo = () => Promise.resolve(new Set()),
): Promise<RecordedTransfer[]> => {
  if (reported.length === 0) return []
  const transfers = withKeys(await onFirstRequisite(tx, reported))
  await checkTransfers(tx, transfers)
  const fresh = await insertFresh(tx, transfers)
  const isFresh = new Set(fresh.map((transfer) => transfer.key))
  const others = transfers.filter((transfer) => !isFresh.has(transfer.key))
  const known = await readKnown(tx, others)
  // It was there, and has just been undone.
  if (known.size < others.length) throw refuseUndoing()
  await noteTellings(tx, others, known)
  const decisions = fresh.length > 0 ? await decide(tx, fresh, toldToo) : []
  if (decisions.length > 0) await writeDecisions(tx, decisions)
  await flagSenders(tx, decisions.flatMap(sentMoney))
  const decided = new Map(decisions.map((decision) => [decision.key, toRecorded(decision)]))
  return transfers.map((transfer, index) => {
    const earlier = known.get(transfer.key)
    if (earlier && Math.abs(earlier.bookedAt - transfer.bookedAt) > sameBookingMs) {
      throw refuseReference(index, 'was reported before, with the same amount, for another day.')
    }
    const recorded = decided.get(transfer.key) ?? earlier?.decision
    if (!recorded) throw new Error(`transfer ${transfer.dedupeKey} was not recorded`)
    return recorded
  })
}
