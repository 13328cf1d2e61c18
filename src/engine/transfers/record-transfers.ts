import type { Tx } from '../context.ts'
import { accountDigits, senderKind } from '../../rules/values/account-number.ts'
import { replacesPart } from '../../rules/transfers/candidate.ts'
import { operatorChannel } from '../../rules/transfers/channel.ts'
import { describeDuplicate, type Duplicate } from '../../rules/transfers/duplicate.ts'
import { maskPayer, maskSource } from '../../rules/values/masking.ts'
import type { Match } from '../../rules/transfers/match.ts'
import { type Payment, splitReceived } from '../../rules/payments/payment.ts'
import { Refusal } from '../../rules/refusal.ts'
import { mostSuggestions, type Suggestion } from '../../rules/transfers/suggest.ts'
import type { Instant } from '../../rules/time.ts'
import { type ReportedTransfer, sameBookingMs, separateKey } from '../../rules/transfers/transfer.ts'
import { refuseBeforeOpening } from '../ledger/reconciliation/set-opening-balance.ts'
import { lockCandidates } from '../payments/lock-candidates.ts'
import { type Credits, creditPayments } from '../payments/credit-payments.ts'
import type { LoneReport } from '../../rules/money/settlement.ts'
import { holdLoneReports } from './lone-reports/hold-lone-reports.ts'
import { flagSenders, type SentMoney } from '../risk/flag-senders.ts'
import type { FindReported } from './duplicates/find-duplicates.ts'
import { noteDuplicates } from './duplicates/note-duplicates.ts'
import { noteProof } from './duplicates/note-proof.ts'
import { insertReports, lockComparing } from './duplicates/store.ts'
import { type GivingWay, giveWay, lockGivingWay } from './lone-reports/give-way.ts'
import { freeKeys, takeOverReporters } from './lone-reports/store.ts'
import { checkTransfers, type Keyed, refuseReference, type Shared, withKeys } from './check-transfers.ts'
import { matchNew } from './match-new.ts'
import { onFirstRequisite } from './on-first-requisite.ts'
import { owedPart, oweParts } from './transfer-parts.ts'
import { withWords } from './words/note-words.ts'
import { withPaidBefore } from './payers/with-payer-names.ts'
import { suggestRefunds } from './outgoing/candidates/list-candidates.ts'
import { decisionOf } from './read.ts'
import { findBeingWithdrawn, insertCases, insertParts, insertTransfers, listTransfersByKey } from './store.ts'

/** The decision about a reported transfer: its first part, all of its parts, and what else it may be. */
export type RecordedTransfer = ReturnType<typeof decisionOf> &
  Pick<ReturnType<typeof listTransfersByKey.decode>, 'id' | 'requisiteId' | 'duplicateOf'> & {
    readonly alreadyKnown: boolean
    readonly suggestions: readonly Suggestion[]
  }

export const maxTransfersAtOnce = 1000

/** Who alone reported real money; null: a bank, two people, or somebody whose reports have no bound. */
type Reporter = { readonly reportedBy: string | null }
type NewTransfer = Keyed &
  Reporter & {
    readonly id: string
    readonly senderIndex: string | null
    readonly olderSenderIndexes: readonly string[]
    readonly senderMasked: string
  }
type Report = Keyed & Reporter

const without = (reports: readonly Report[], found: readonly Keyed[]): Report[] => {
  const keys = new Set(found.map(({ key }) => key))
  return reports.filter(({ key }) => !keys.has(key))
}

type Decided = { readonly transfer: NewTransfer; readonly recorded: RecordedTransfer }

/** A transfer counts as known until its statement is withdrawn; reported again after that, it is new. */
const refuseBeingWithdrawn = (): Refusal =>
  new Refusal(
    'overloaded',
    'The statement that brought one of these transfers is being withdrawn; nothing was recorded, send them again shortly.',
    { retryAfterSeconds: 5 },
  )

const insertNew = async (tx: Tx, transfers: readonly Report[]): Promise<NewTransfer[]> => {
  const made = transfers.map((transfer) => {
    const { sender } = transfer
    const [senderIndex = null, ...olderSenderIndexes] =
      sender === null ? [] : tx.vault.blindIndexes('payer', accountDigits(sender))
    return { ...transfer, id: tx.newId(), senderIndex, olderSenderIndexes, senderMasked: maskSource(sender ?? '') }
  })
  const seal = (value: string | null | undefined, column: string, row: string): string | null =>
    value === null || value === undefined ? null : tx.vault.encrypt(value, { table: 'transfers', column, row })
  const inserted = await tx.query(insertTransfers, {
    rows: made.map((transfer) => ({
      ...transfer,
      senderSealed: seal(transfer.sender, 'sender_sealed', transfer.id),
      senderNameSealed: seal(transfer.senderName, 'sender_name_sealed', transfer.id),
      senderNameMasked: transfer.senderName ? maskPayer(transfer.senderName) : null,
      textSealed: seal(transfer.text, 'text_sealed', transfer.id),
      earliestAt: transfer.earliestAt ?? null,
      senderBank: transfer.senderBank ?? null,
      channel: transfer.channel ?? null,
      referenceKind: transfer.referenceKind ?? null,
      likeness: transfer.likeness ?? null,
    })),
    recordedAt: tx.now,
  })
  const ids = new Set(inserted.map((row) => row.id))
  return withWords(tx, made, ids)
}

type Known = Reporter & {
  readonly recorded: RecordedTransfer
  readonly bookedAt: Instant
  readonly channel: string | null
}

const readKnown = async (tx: Tx, transfers: readonly Keyed[]): Promise<Map<string, Known>> => {
  if (transfers.length === 0) return new Map()
  const rows = await tx.query(listTransfersByKey, { rows: transfers })
  return new Map(
    rows.map(({ id, requisiteId, parts, suggestions, dedupeKey, duplicateOf, ...row }) => {
      const { bookedAt, channel, reportedBy } = row
      const decided = { ...decisionOf(parts), suggestions: suggestions ?? [], duplicateOf }
      return [
        `${requisiteId} ${dedupeKey}`,
        { recorded: { id, requisiteId, alreadyKnown: true, ...decided }, bookedAt, channel, reportedBy },
      ]
    }),
  )
}

/**
 * Records which further channels report known transfers: anything else of theirs is other money, and the statement that
 * brought the transfer cannot be withdrawn. Refuses `overloaded` while it is being withdrawn.
 */
const noteReports = async (
  tx: Tx,
  transfers: readonly Keyed[],
  known: ReadonlyMap<string, Known>,
  isLone: boolean,
): Promise<void> => {
  const reports = transfers.flatMap(({ key, channel = null }) => {
    const earlier = known.get(key)
    if (!earlier || channel === null || channel === earlier.channel) return []
    const { requisiteId, id } = earlier.recorded
    return [{ requisiteId, id, channel }]
  })
  if (reports.length === 0) return
  // The new row's foreign key locks its transfer: a withdrawal that has not checked yet will find the report, and one
  // that has checked is visible here.
  await tx.query(insertReports, { isLone, rows: reports })
  if ((await tx.query(findBeingWithdrawn, { rows: reports })).length > 0) throw refuseBeingWithdrawn()
}

const toRecorded = (
  { id, requisiteId, amount }: NewTransfer,
  match: Match,
  duplicateOf: string | null,
  credits: Credits,
): RecordedTransfer => {
  const { outcome, reasons } = match
  const received =
    'candidate' in match
      ? splitReceived(credits.current(match.candidate.payment), amount)
      : [{ kind: 'suspense', amount } as const]
  const { merchantId = null, id: paymentId = null } = 'candidate' in match ? match.candidate.payment : {}
  const by = { by: 'service', note: null, reversedAmount: 0n }
  const parts = received.map((part) => ({ ...part, outcome, merchantId, paymentId, reasons, ...by }))
  const suggestions = 'suggestions' in match ? match.suggestions : []
  return { id, requisiteId, alreadyKnown: false, ...decisionOf(parts), suggestions, duplicateOf }
}

const toDuplicate = ({ id, requisiteId, amount, channel }: NewTransfer, duplicate: Duplicate): RecordedTransfer => {
  const reasons = [describeDuplicate(duplicate, channel ?? '')]
  const none = { merchantId: null, paymentId: null, by: 'service', note: null, reversedAmount: 0n }
  const part = { ...none, kind: 'duplicate', outcome: 'ignored', amount, reasons } as const
  return {
    id,
    requisiteId,
    alreadyKnown: false,
    ...decisionOf([part]),
    suggestions: [],
    duplicateOf: duplicate.other.id,
  }
}

/** Owes the payer what a payment received by transfers of this and earlier reports; returns the changed decisions. */
const oweReplaced = async (
  tx: Tx,
  credits: Credits,
  payment: Payment,
  decided: readonly Decided[],
): Promise<Decided[]> => {
  await oweParts(tx, credits, payment)
  return decided.map((each) => {
    const { transfer, recorded } = each
    const [part] = recorded.parts
    if (part?.kind !== 'payment' || part.paymentId !== payment.id) return each
    const { id: transferId, requisiteId, amount } = transfer
    credits.owe(payment, { transferId, requisiteId, amount })
    return { transfer, recorded: { ...recorded, ...decisionOf([owedPart(part)]) } }
  })
}

/** Waits for other reports that may bring the same money. Reports by operators are not compared with each other. */
const lockCompared = async (tx: Tx, transfers: readonly NewTransfer[]): Promise<void> => {
  const compared = transfers.filter((each) => (each.channel ?? null) !== null)
  if (compared.length === 0) return
  const shared = compared.every(({ channel }) => channel === operatorChannel)
  await tx.query(lockComparing, { requisiteIds: compared.map((each) => each.requisiteId), shared })
}

/**
 * Of the transfers that take the place of what one operator alone has reported, those that the preview showed as known:
 * nobody else has agreed to them as new money. Returns, by their ids, why another operator must decide about them.
 */
const holdUnseen = async (
  tx: Tx,
  transfers: readonly NewTransfer[],
  givingWay: readonly GivingWay[],
): Promise<ReadonlyMap<string, string>> => {
  const shown = new Set(transfers.flatMap(({ id, isShownKnown }) => (isShownKnown ? [id] : [])))
  const unseen = givingWay.filter(({ duplicateOf }) => shown.has(duplicateOf))
  if (unseen.length > 0) await tx.query(takeOverReporters, { rows: unseen })
  const reason = 'the preview of its file showed it as what one operator alone has reported: another operator decides'
  return new Map(unseen.map(({ duplicateOf }) => [duplicateOf, reason]))
}

/** Matches new transfers in the order in which the bank booked them, and credits their payments. */
const decide = async (
  tx: Tx,
  added: readonly NewTransfer[],
  findReported: FindReported,
  {
    heldOf,
    before,
    isLone,
  }: {
    readonly heldOf: (transfer: NewTransfer) => string | undefined
    readonly before: readonly GivingWay[]
    readonly isLone: boolean
  },
): Promise<{ readonly decided: Decided[]; readonly givingWay: readonly GivingWay[] }> => {
  const credits = creditPayments(tx)
  await lockCompared(tx, added)
  const transfers = await withPaidBefore(tx, added)
  const candidates = await lockCandidates(tx, transfers, (payment) => credits.current(payment))
  const shared = { candidates, texts: new Map() }
  // After the locks: a concurrent report of the same money through another channel has committed by then.
  const { duplicates, givingWay: further } = await noteDuplicates(tx, transfers, findReported, isLone)
  const givingWay = [...before, ...further]
  const unseen = await holdUnseen(tx, transfers, givingWay)
  let all: Decided[] = []
  for (const transfer of transfers.toSorted((a, b) => a.bookedAt - b.bookedAt || (a.id < b.id ? -1 : 1))) {
    const { id: transferId, requisiteId, currency, amount, senderMasked } = transfer
    const duplicate = duplicates.get(transferId)
    if (duplicate?.isCertain) {
      all.push({ transfer, recorded: toDuplicate(transfer, duplicate) })
      continue
    }
    const match = await matchNew(tx, shared, transfer, duplicate, heldOf(transfer) ?? unseen.get(transferId))
    const replaced = 'candidate' in match && replacesPart(transfer, match.candidate.payment)
    if (replaced) all = await oweReplaced(tx, credits, match.candidate.payment, all)
    all.push({ transfer, recorded: toRecorded(transfer, match, duplicate?.other.id ?? null, credits) })
    if (!('candidate' in match)) {
      credits.suspend(currency, { transferId, requisiteId, amount })
      continue
    }
    const { payment } = match.candidate
    await credits.receive(payment, { transferId, requisiteId, amount }, transfer, senderMasked)
    const after = credits.current(payment)
    if (after.status === 'processing' && after.received > 0n) await candidates.waitsForRest(after)
  }
  await credits.write()
  return { decided: all, givingWay }
}

const addRefunds = async (tx: Tx, decided: readonly Decided[]): Promise<Decided[]> => {
  const waiting = decided.filter(({ recorded }) => recorded.kind === 'suspense')
  const refunds = await suggestRefunds(
    tx,
    waiting.map(({ transfer }) => transfer),
  )
  return decided.map((each) => {
    const further = refunds.get(each.transfer.id) ?? []
    if (further.length === 0) return each
    const named = new Set(further.map(({ paymentId }) => paymentId))
    const others = each.recorded.suggestions.filter(({ paymentId }) => !named.has(paymentId))
    const suggestions = [...further, ...others].slice(0, mostSuggestions)
    return { ...each, recorded: { ...each.recorded, suggestions } }
  })
}

const writeDecided = async (tx: Tx, decided: readonly Decided[]): Promise<void> => {
  const rows = decided.map(({ transfer: { id: transferId, amount }, recorded }) => ({
    ...recorded,
    transferId,
    amount,
  }))
  const parts = rows.flatMap(({ requisiteId, transferId, parts: each }) =>
    each.map((part, index) => ({ ...part, requisiteId, transferId, number: index + 1, decidedBy: part.by })),
  )
  await tx.query(insertParts, { rows: parts, now: tx.now })
  const { suspense: waiting = [], duplicate: duplicates = [] } = Object.groupBy(rows, ({ kind }) => kind)
  if (waiting.length > 0) await tx.query(insertCases, { rows: waiting, openedAt: tx.now })
  await noteProof(tx, duplicates)
}

const sentMoney = ({ transfer, recorded: { merchantId, paymentId } }: Decided): SentMoney[] => {
  const { sender, senderIndex, olderSenderIndexes, currency, amount } = transfer
  const kind = senderKind(sender ?? '')
  if (senderIndex === null || kind === undefined || merchantId === null || paymentId === null) return []
  const indexes = [senderIndex, ...olderSenderIndexes]
  return [{ merchantId, paymentId, currency, amount, payers: [{ kind, index: senderIndex, indexes, userId: null }] }]
}

/** Adds, with their keys, what only one operator has reported so far; returns that, and what gives way to it. */
const addInstead = async (tx: Tx, reports: readonly Report[], known: ReadonlyMap<string, Known>) => {
  const earlier = [...known.values()].flatMap(({ recorded: { requisiteId, id }, reportedBy }) =>
    reportedBy === null ? [] : [{ requisiteId, id }],
  )
  const ids = await lockGivingWay(tx, earlier)
  if (ids.size === 0) return { instead: [], before: [] }
  await tx.query(freeKeys, { rows: earlier.filter(({ id }) => ids.has(id)) })
  const instead = await insertNew(
    tx,
    reports.filter(({ key }) => ids.has(known.get(key)?.recorded.id ?? '')),
  )
  const before = instead.map(({ id: duplicateOf, requisiteId, key }): GivingWay => {
    return { requisiteId, id: known.get(key)?.recorded.id ?? '', duplicateOf, isCertain: true }
  })
  return { instead, before }
}

const isOfOtherDay = ({ bookedAt }: ReportedTransfer, earlier: Known | undefined): boolean =>
  earlier !== undefined && Math.abs(earlier.bookedAt - bookedAt) > sameBookingMs

/** Adds, as possible duplicates, what one operator alone has reported for another day; returns them and all reports. */
const addFurther = async (tx: Tx, given: readonly Report[], known: Map<string, Known>) => {
  const reports = given.map((report) => {
    const earlier = known.get(report.key)
    if (!isOfOtherDay(report, earlier) || (earlier?.reportedBy ?? null) === null) return report
    const dedupeKey = separateKey(report.dedupeKey, BigInt(report.bookedAt))
    return { ...report, bankReference: null, dedupeKey, key: `${report.requisiteId} ${dedupeKey}` }
  })
  const rest = reports.filter((each, index) => each !== given[index])
  const further = rest.length > 0 ? await insertNew(tx, rest) : []
  for (const [key, each] of await readKnown(tx, without(rest, further))) known.set(key, each)
  return { further, reports }
}

/**
 * Records incoming transfers, matches them and credits payments, all or nothing; the answers are in the order of the
 * reports. A known transfer changes nothing, nor does one that is certainly another channel's; a possible duplicate
 * waits in the inbox, and so does what goes beyond the bound of a `lone` reporter. What only one operator has reported
 * before, and waits, gives way to other reports. Transfers that `findReported` returns are not the money of any other
 * report. Refuses `validation_failed`, and `overloaded` for transfers that are being withdrawn.
 */
export const recordTransfers = async (
  tx: Tx,
  reported: readonly ReportedTransfer[],
  findReported: FindReported = () => Promise.resolve(new Map()),
  lone: LoneReport | null = null,
): Promise<RecordedTransfer[]> => {
  if (reported.length === 0) return []
  const transfers = withKeys(await onFirstRequisite(tx, reported))
  const named = transfers.map((each, index) => ({ ...each, field: `transfers.${index}.bookedAt` }))
  // Files, feeds and phones skip what was booked before.
  await refuseBeforeOpening(
    tx,
    named.filter(({ channel }) => channel === operatorChannel),
  )
  const requisites = await checkTransfers(tx, transfers)
  const isReal = ({ requisiteId, sharing = [] }: Shared): boolean =>
    [requisiteId, ...sharing].some((id) => requisites.get(id)?.mode === 'live')
  const given = transfers.map((each) => ({ ...each, reportedBy: isReal(each) ? (lone?.by ?? null) : null }))
  const inserted = await insertNew(tx, given)
  const heldAlone = lone ? await holdLoneReports(tx, lone, inserted.filter(isReal)) : undefined
  const known = await readKnown(tx, without(given, inserted))
  const { instead, before } = lone ? { instead: [], before: [] } : await addInstead(tx, given, known)
  for (const { key } of instead) known.delete(key)
  const { further, reports } = lone ? { further: [], reports: given } : await addFurther(tx, given, known)
  const added = [...inserted, ...instead, ...further]
  const others = without(reports, added)
  // One that existed has just been withdrawn.
  if (known.size < others.length) throw refuseBeingWithdrawn()
  await noteReports(tx, others, known, lone !== null)
  const heldOf = ({ id, requisiteId }: NewTransfer): string | undefined => {
    const onAccount = requisites.get(requisiteId)?.held ?? null
    return onAccount === null ? heldAlone?.get(id) : `automatic crediting on this account is held: ${onAccount}`
  }
  const findAlso: FindReported = async (found) =>
    new Map([...(await findReported(found)), ...before.map(({ id }): [string, boolean] => [id, true])])
  const made =
    added.length > 0
      ? await decide(tx, added, findAlso, { heldOf, before, isLone: lone !== null })
      : { decided: [], givingWay: [] }
  const decided = await addRefunds(tx, made.decided)
  if (decided.length > 0) await writeDecided(tx, decided)
  await giveWay(tx, made.givingWay)
  await flagSenders(tx, decided.flatMap(sentMoney))
  if (decided.length > 0) tx.afterCommit(() => tx.changes.announce('transfers'))
  const recorded = new Map(decided.map((each) => [each.transfer.key, each.recorded]))
  return reports.map((report, index) => {
    const { key, dedupeKey } = report
    const earlier = known.get(key)
    if (isOfOtherDay(report, earlier))
      throw refuseReference(index, 'was reported before, with the same amount, for another day.')
    const answer = recorded.get(key) ?? earlier?.recorded
    if (!answer) throw new Error(`transfer ${dedupeKey} was not recorded`)
    return answer
  })
}
