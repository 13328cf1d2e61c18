import type { Context, Tx } from '../context.ts'
import { type LoneReport, phoneReporter } from '../../rules/money/settlement.ts'
import { quoteDecimals } from '../../rules/values/currency.ts'
import { chooseRequisite } from '../../rules/phones/choose-requisite.ts'
import { type ForwardedMessage, sameBookingOfMessagesMs } from '../../rules/phones/phone.ts'
import { noSuch } from '../../rules/refusal.ts'
import { type Instant, day } from '../../rules/time.ts'
import { listOpenings } from '../ledger/reconciliation/set-opening-balance.ts'
import { requisiteOffsets } from '../requisites/read.ts'
import type { Phone } from './phones.ts'
import { follow, holdAccounts, type KeptMessage, listKnown, addAccount, startMessage } from './on-account.ts'
import {
  type BankReading,
  indexesOf,
  type MessageContent,
  openContent,
  readInTurn,
  sealContent,
} from './read-message.ts'
import {
  insertMessages,
  listMessagesById,
  listAlike,
  lockPhone,
  type StoredMessage,
  touchPhone,
  updateMessages,
  deleteContents,
} from './store.ts'
import { messageChannel } from '../../rules/transfers/channel.ts'
import type { ReportedTransfer } from '../../rules/transfers/transfer.ts'
import { recordTransfers } from '../transfers/record-transfers.ts'

/** Whose word the messages of a phone stand on: its own, or that of whoever alone has added it. */
export type FindLone = (tx: Tx, phoneId: string) => Promise<LoneReport>

const inMicro = (limit: bigint): bigint => limit * 10n ** BigInt(quoteDecimals)

/** The bounds of a phone that another operator has approved, or that needs no approval. */
export const ownLone = ({ id, dailyLimit, state, requisites }: Phone): LoneReport => ({
  by: phoneReporter(id),
  ...(state === 'active' ? { above: inMicro(dailyLimit) } : { above: 0n, because: `which is ${state}` }),
  onRequisites: new Map(
    requisites.flatMap(({ requisiteId, dailyLimit: limit }) =>
      limit === undefined ? [] : [[requisiteId, inMicro(BigInt(limit))]],
    ),
  ),
})

/** A new message, with that by which it is recognised if it comes again. */
type New = MoneyMessage & {
  readonly content: MessageContent
  readonly contentIndex: string
  readonly occurrence: string | null
  readonly bookedAt: Instant | null
}

/**
 * Whether a message came before. It is doubtful where its text alone tells: a bank may say the same of two payments, but an
 * account has no balance twice after the same money. A notification may also be shown again.
 */
const isAlreadyKnown = (
  { message, reading }: KeptMessage,
  same: readonly { readonly occurrence: string | null; readonly bookedAt: Instant | null }[],
  now: Instant,
): 'new' | 'already-known' | 'doubtful' => {
  const { occurrence, channel } = message
  if (same.length === 0) return 'new'
  if (occurrence !== null && same.some((each) => each.occurrence === occurrence)) return 'already-known'
  const isTimed = occurrence !== null && same.every((each) => each.occurrence !== null)
  const at = message.sentAt ?? message.receivedAt ?? now
  const isNear = same.some(({ bookedAt }) => Math.abs((bookedAt ?? 0) - at) <= sameBookingOfMessagesMs)
  if (isTimed && !(channel === 'push' && isNear)) return 'new'
  if (reading.balance === null) return 'doubtful'
  return isTimed ? 'new' : 'already-known'
}

const replaceIn = (all: readonly StoredMessage[], changed: readonly StoredMessage[]): StoredMessage[] =>
  all.map((each) => changed.find(({ id }) => id === each.id) ?? each)

/** Whether a message brings money that is not a transfer yet. */
const isMoney = ({ state, transferId }: StoredMessage): boolean => state === 'recorded' && transferId === null

/** Reads what the bank has written in those stored messages that bring money. */
export const openMoney = async (tx: Tx, rows: readonly StoredMessage[]): Promise<MoneyMessage[]> => {
  const money = rows.filter(isMoney)
  if (money.length === 0) return []
  const stored = await tx.query(listMessagesById, { ids: money.map(({ id }) => id) })
  const sealed = new Map(stored.map(({ id, contentSealed }) => [id, contentSealed]))
  return Array.fromAsync(money, async (row) => {
    const content = openContent(tx.vault, row.id, sealed.get(row.id) ?? null)
    const reading = content && (await readInTurn(content))
    return { row, reading: typeof reading === 'string' ? null : reading }
  })
}

/** Judges new messages one after another; returns them, and earlier ones that were waiting for one of them. */
const judge = async (tx: Tx, phone: Phone, kept: readonly KeptMessage[]) => {
  const known = await listKnown(tx, phone)
  const ids = [...new Set(known.map(({ bookedOn }) => bookedOn))]
  const [offsets, openings] = [await requisiteOffsets(tx, ids), await listOpenings(tx, ids)]
  const added: New[] = []
  const changed = new Map<string, StoredMessage>()
  let alreadyKnown = 0
  const chosen = kept.map((each) => ({
    ...each,
    contentIndexes: indexesOf(tx.vault, each.message),
    requisite: chooseRequisite({ ...each.reading, sim: each.message.sim }, known),
  }))
  const accounts = await holdAccounts(tx, [...new Set(chosen.flatMap(({ requisite }) => requisite?.bookedOn ?? []))])
  const alike = await tx.query(listAlike, {
    phoneId: phone.id,
    contentIndexes: chosen.flatMap(({ contentIndexes }) => contentIndexes),
  })
  for (const { requisite, contentIndexes, ...each } of chosen) {
    const same = [...alike, ...added].filter(({ contentIndex }) => contentIndexes.includes(contentIndex))
    const found = isAlreadyKnown(each, same, tx.now)
    if (found === 'already-known') {
      alreadyKnown++
      continue
    }
    let row = startMessage(tx, phone, each)
    const earlier = requisite ? (accounts.get(requisite.bookedOn) ?? []) : []
    if (requisite && row.state !== 'waiting') {
      const { bookedOn } = requisite
      const account = {
        requisite,
        offsetMs: offsets.get(bookedOn) ?? 0,
        beginsAt: openings.get(bookedOn)?.beginsAt ?? 0,
      }
      row = addAccount(row, each.reading, { ...account, earlier, checksBalance: phone.checksBalance }, tx.now)
    } else if (row.kind === 'credit') row = { ...row, state: 'waiting', reason: 'no-requisite' }
    if (found === 'doubtful' && row.state === 'recorded')
      row = { ...row, state: 'waiting', reason: 'possible-duplicate' }
    const { message } = each
    const { occurrence } = message
    const [contentIndex = ''] = contentIndexes
    added.push({ row, reading: each.reading, content: message, contentIndex, occurrence, bookedAt: row.bookedAt })
    const following = follow(row, earlier)
    for (const one of following) changed.set(one.id, one)
    if (requisite) accounts.set(requisite.bookedOn, [...replaceIn(earlier, following), row])
  }
  const now = (row: StoredMessage): StoredMessage => changed.get(row.id) ?? row
  const addedIds = new Set(added.map(({ row }) => row.id))
  return {
    added: added.map((each) => ({ ...each, row: now(each.row) })),
    changed: [...changed.values()].filter(({ id }) => !addedIds.has(id)),
    alreadyKnown,
  }
}

export type Received = { readonly kept: number; readonly alreadyKnown: number; readonly dropped: number }

/**
 * Takes the messages that a phone forwards, all or none: drops those that are not to be kept, recognises repetitions, and
 * records the money of the others. Refuses `resource_not_found` if the phone was removed, and `overloaded`.
 */
export const receiveMessages = async (
  context: Context,
  phoneId: string,
  forwarded: readonly ForwardedMessage[],
  {
    battery = null,
    findLone,
    onlyMerchantId,
  }: {
    readonly battery?: number | null
    readonly findLone: FindLone
    /** Whose payments the money may pay, of the simulated bank; all if absent. */
    readonly onlyMerchantId?: string
  },
): Promise<Received> => {
  const inOrder = forwarded.toSorted((a, b) => (a.sentAt ?? a.receivedAt ?? 0) - (b.sentAt ?? b.receivedAt ?? 0))
  const readings = await Array.fromAsync(inOrder, async (message) => ({ message, reading: await readInTurn(message) }))
  const kept = readings.filter((each): each is KeptMessage => typeof each.reading !== 'string')
  const codes = readings.filter(({ reading }) => reading === 'code').length
  const others = readings.length - kept.length - codes
  return context.transaction(async (tx) => {
    const [phone] = await tx.query(lockPhone, { id: phoneId })
    if (!phone || phone.state === 'removed') throw noSuch('phone')
    await tx.query(touchPhone, { id: phoneId, at: tx.now, battery, codes: BigInt(codes), others: BigInt(others) })
    const { added, changed, alreadyKnown } = await judge(tx, phone, kept)
    const found = [...(await openMoney(tx, changed)), ...added]
    const withTransfer = await recordMoney(tx, found, (id) => findLone(tx, id), onlyMerchantId)
    if (changed.length > 0) await tx.query(updateMessages, { rows: changed.map(withTransfer) })
    if (added.length > 0) {
      const rows = added.map(({ row, content, contentIndex, occurrence }) => ({
        ...withTransfer(row),
        ...{ contentIndex, occurrence },
        contentSealed: sealContent(tx.vault, row.id, content),
      }))
      await tx.query(insertMessages, { rows })
      tx.afterCommit(() => tx.changes.announce('transfers'))
    }
    return { kept: added.length, alreadyKnown, dropped: codes + others }
  })
}

const rowsAtOnce = 1000

/** Deletes what banks have written in old messages; returns how many. What was read from them stays. */
export const forgetContents = async (context: Context): Promise<number> => {
  const before = context.clock() - context.settings.messageDays * day
  return (await context.query(deleteContents, { before, limit: rowsAtOnce })).length
}

/** A message whose money becomes a transfer, with what it says; null if what the bank has written was deleted. */
export type MoneyMessage = { readonly row: StoredMessage; readonly reading: BankReading | null }

const toReport = ({ row, reading }: MoneyMessage): ReportedTransfer => {
  const { id, phoneId, requisiteId, currency, amount, bookedAt, earliestAt } = row
  if (requisiteId === null || currency === null || amount === null || bookedAt === null)
    throw new Error(`phone message ${id} does not say what money it is`)
  const { senderPhone = null, senderName = null, comment = null } = reading ?? {}
  return {
    ...{ requisiteId, currency, amount, bookedAt, earliestAt, senderName },
    source: phoneReporter(phoneId),
    channel: messageChannel,
    dedupeKey: `message:${id}`,
    bankReference: null,
    sender: senderPhone,
    text: comment,
  }
}

/**
 * Records what messages bring as lone reports, each within the bound of its own phone; returns how to add the transfers to
 * their rows.
 */
export const recordMoney = async (
  tx: Tx,
  messages: readonly MoneyMessage[],
  findLone: (phoneId: string) => LoneReport | Promise<LoneReport>,
  onlyMerchantId?: string,
): Promise<(row: StoredMessage) => StoredMessage> => {
  const recorded = new Map<string, string | undefined>()
  const bringing = messages.filter(({ row }) => isMoney(row))
  for (const [phoneId, money] of Map.groupBy(bringing, ({ row }) => row.phoneId)) {
    const reports = money.map((each) => ({
      ...toReport(each),
      ...(onlyMerchantId !== undefined && { onlyMerchantId }),
    }))
    const transfers = await recordTransfers(tx, reports, undefined, await findLone(phoneId))
    for (const [index, { row }] of money.entries()) recorded.set(row.id, transfers[index]?.id)
  }
  return (row) => ({ ...row, transferId: recorded.get(row.id) ?? row.transferId })
}
