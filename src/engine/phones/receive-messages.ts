import { bringBack } from '../bring-back.ts'
import type { Context, Tx } from '../context.ts'
import { type LoneReport, phoneReporter } from '../../rules/money/settlement.ts'
import { oneUsdt } from '../../rules/values/currency.ts'
import { type ForwardedMessage, sameBookingOfMessagesMs } from '../../rules/phones/phone.ts'
import { noSuch, Refusal } from '../../rules/refusal.ts'
import { type Instant, day } from '../../rules/time.ts'
import { getPhone, type Phone } from './phones.ts'
import { type KeptMessage, openAccounts, startMessage } from './on-account.ts'
import {
  type BankReading,
  indexesOf,
  type MessageContent,
  type MessageReader,
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
import { messageReader } from './templates/message-reader.ts'
import { messageChannel } from '../../rules/transfers/channel.ts'
import type { ReportedTransfer } from '../../rules/transfers/transfer.ts'
import { holdUsedTemplates } from './templates/store.ts'
import { recordTransfers } from '../transfers/record-transfers.ts'

/** Whose word the messages of a phone stand on: its own, or that of whoever alone has added it. */
export type FindLone = (tx: Tx, phoneId: string) => Promise<LoneReport>

const inMicro = (limit: bigint): bigint => limit * oneUsdt

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

/**
 * Until another operator approves a phone, its messages stand on the word of whoever alone added it: `findAlone` says within
 * which bound.
 */
export const loneOf =
  (findAlone: (tx: Tx, by: string) => Promise<LoneReport | null>): FindLone =>
  async (tx, phoneId) => {
    const phone = await getPhone(tx, phoneId)
    const own = ownLone(phone)
    const lone = phone.changedBy === null ? null : await findAlone(tx, phone.changedBy)
    if (lone === null) return own
    return own.above < lone.above ? { ...own, by: lone.by } : { ...own, ...lone }
  }

/** A new message, with that by which it is recognised if it comes again. */
type New = MoneyMessage & {
  readonly content: MessageContent
  readonly contentIndex: string
  readonly occurrence: string | null
  readonly bookedAt: Instant | null
}

type KnownMessage = {
  readonly message: Pick<ForwardedMessage, 'channel' | 'occurrence' | 'sentAt' | 'receivedAt'>
  readonly reading: Pick<BankReading, 'balance'>
}

/**
 * Whether a message came before. It is doubtful where its text alone tells: a bank may say the same of two payments, but an
 * account has no balance twice after the same money. A notification may also be shown again.
 */
export const isAlreadyKnown = (
  { message, reading }: KnownMessage,
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

/** Whether a message brings money that is not a transfer yet. */
const isMoney = ({ state, transferId }: StoredMessage): boolean => state === 'recorded' && transferId === null

/** Reads what the bank has written in those stored messages that bring money. */
export const openMoney = async (
  tx: Tx,
  rows: readonly StoredMessage[],
  read: MessageReader,
): Promise<MoneyMessage[]> => {
  const money = rows.filter(isMoney)
  if (money.length === 0) return []
  const stored = await tx.query(listMessagesById, { ids: money.map(({ id }) => id) })
  const sealed = new Map(stored.map(({ id, contentSealed }) => [id, contentSealed]))
  return Array.fromAsync(money, async (row) => {
    const content = openContent(tx.vault, row.id, sealed.get(row.id) ?? null)
    const reading = content && (await readInTurn(read, content))
    return { row, reading: typeof reading === 'string' ? null : reading }
  })
}

/** Refuses `overloaded` if messages were read with a template that has been withdrawn meanwhile: they are read once more. */
export const holdTemplates = async (tx: Tx, read: readonly { readonly reading: BankReading }[]): Promise<void> => {
  const ids = [...new Set(read.flatMap(({ reading }) => reading.templateId ?? []))]
  if (ids.length === 0 || (await tx.query(holdUsedTemplates, { ids })).length === ids.length) return
  throw new Refusal('overloaded', 'A template of messages has been withdrawn. Nothing was recorded; send it again.', {
    retryAfterSeconds: 1,
  })
}

/** Judges new messages one after another; returns them, and earlier ones that were waiting for one of them. */
const judge = async (tx: Tx, phone: Phone, kept: readonly KeptMessage[]) => {
  const accounts = await openAccounts(
    tx,
    phone,
    kept.map(({ message, reading }) => ({ ...reading, sim: message.sim })),
  )
  const indexed = kept.map((each) => ({ ...each, contentIndexes: indexesOf(tx.vault, each.message) }))
  const alike = await tx.query(listAlike, {
    phoneId: phone.id,
    contentIndexes: indexed.flatMap(({ contentIndexes }) => contentIndexes),
  })
  const added: New[] = []
  for (const [index, { contentIndexes, ...each }] of indexed.entries()) {
    const same = [...alike, ...added].filter(({ contentIndex }) => contentIndexes.includes(contentIndex))
    const found = isAlreadyKnown(each, same, tx.now)
    if (found === 'already-known') continue
    const row = accounts.add(index, startMessage(tx, phone, each), found === 'doubtful')
    const { message } = each
    const { occurrence } = message
    const [contentIndex = ''] = contentIndexes
    added.push({ row, reading: each.reading, content: message, contentIndex, occurrence, bookedAt: row.bookedAt })
  }
  const addedIds = new Set(added.map(({ row }) => row.id))
  return {
    added: added.map((each) => ({ ...each, row: accounts.now(each.row) })),
    changed: accounts.changed().filter(({ id }) => !addedIds.has(id)),
    alreadyKnown: kept.length - added.length,
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
  const read = await context.catalog.get(messageReader)
  const readings = await Array.fromAsync(inOrder, async (message) => ({
    message,
    reading: await readInTurn(read, message),
  }))
  const kept = readings.filter((each): each is KeptMessage => typeof each.reading !== 'string')
  const codes = readings.filter(({ reading }) => reading === 'code').length
  const others = readings.length - kept.length - codes
  return context.transaction(async (tx) => {
    const [phone] = await tx.query(lockPhone, { id: phoneId })
    if (!phone || phone.state === 'removed') throw noSuch('phone')
    await tx.query(touchPhone, { id: phoneId, at: tx.now, battery, codes: BigInt(codes), others: BigInt(others) })
    await holdTemplates(tx, kept)
    const { added, changed, alreadyKnown } = await judge(tx, phone, kept)
    const found = [...(await openMoney(tx, changed, read)), ...added]
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

/** Counts the time since messages came from now on that a clock that was ahead has dated; returns how many. */
export const bringMessagesOfPhonesBack = bringBack('phone_messages', 'received_at', 0, 'and content_sealed is not null')

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
