import { bringBack } from '../../bring-back.ts'
import type { Context, Tx } from '../../context.ts'
import { forEachAlone } from '../../for-each-alone.ts'
import { second } from '../../../rules/time.ts'
import { addReading, openAccounts } from '../on-account.ts'
import {
  type BankReading,
  indexesOf,
  type MessageContent,
  type MessageReader,
  openContent,
  readInTurn,
} from '../read-message.ts'
import { type FindLone, holdTemplates, isAlreadyKnown, openMoney, recordMoney } from '../receive-messages.ts'
import { listAlike, listMessagesById, lockPhone, type StoredMessage, updateReadings } from '../store.ts'
import { messageReader } from './message-reader.ts'
import { listBehind, listUnread, lockUnread, markCaughtUp } from './store.ts'

const messagesAtOnce = 100

type Waiting = ReturnType<typeof listUnread.decode>

type Unread = { readonly id: string; readonly content: MessageContent; readonly reading: BankReading }

/** A message that is read now, and whether it may be, or is, one that came before. */
const startAgain = async (tx: Tx, row: StoredMessage, { content, reading }: Unread) => {
  const contentIndexes = indexesOf(tx.vault, content)
  const alike = await tx.query(listAlike, { phoneId: row.phoneId, contentIndexes })
  const { occurrence = null } = alike.find(({ id }) => id === row.id) ?? {}
  const same = alike.filter(({ id }) => id < row.id)
  const message = { channel: row.channel, occurrence, sentAt: row.bookedAt, receivedAt: row.receivedAt }
  const found = isAlreadyKnown({ message, reading }, same, row.receivedAt)
  return { started: addReading(row, reading), found, sameAs: same.at(0)?.id ?? null }
}

/** Reads messages of one phone again, which then go the way of new ones: to their accounts, within their phone's limit. */
const readOfPhone = async (
  tx: Tx,
  phoneId: string,
  unread: readonly Unread[],
  read: MessageReader,
  findLone: FindLone,
): Promise<void> => {
  const [phone] = await tx.query(lockPhone, { id: phoneId })
  const waiting = new Set((await tx.query(lockUnread, { ids: unread.map(({ id }) => id) })).map(({ id }) => id))
  const left = unread.filter(({ id }) => waiting.has(id))
  if (!phone || left.length === 0) return
  await holdTemplates(tx, left)
  const rows = new Map(
    (await tx.query(listMessagesById, { ids: left.map(({ id }) => id) })).map((row) => [row.id, row]),
  )
  const messages = left.flatMap((each) => {
    const row = rows.get(each.id)
    return row ? [{ ...each, row }] : []
  })
  const readings = messages.map(({ reading, row: { sim } }) => ({ ...reading, sim }))
  const accounts = await openAccounts(tx, phone, readings)
  const again: StoredMessage[] = []
  for (const [index, { row, ...each }] of messages.entries()) {
    const { started, found, sameAs } = await startAgain(tx, row, each)
    again.push(
      found === 'already-known'
        ? { ...started, state: 'same', reason: null, sameAs }
        : accounts.add(index, started, found === 'doubtful'),
    )
  }
  const ids = new Set(again.map(({ id }) => id))
  const all = [...again.map(accounts.now), ...accounts.changed().filter(({ id }) => !ids.has(id))]
  const withTransfer = await recordMoney(tx, await openMoney(tx, all, read), (id) => findLone(tx, id))
  await tx.query(updateReadings, { rows: all.map(withTransfer) })
  tx.afterCommit(() => tx.changes.announce('transfers'))
}

/**
 * Reads a bank's messages that wait unread with the templates of now; returns how many these read. What fails of one phone
 * holds up no other.
 */
export const readWaiting = async (context: Context, bank: string, findLone: FindLone): Promise<number> => {
  const read = await context.catalog.get(messageReader)
  const failures: unknown[] = []
  let [after, done]: [string | null, number] = [null, 0]
  for (;;) {
    const found: readonly Waiting[] = await context.query(listUnread, { bank, after, limit: messagesAtOnce })
    const opened: (Unread & Pick<Waiting, 'phoneId'>)[] = []
    for (const { id, phoneId, contentSealed } of found) {
      const content = openContent(context.vault, id, contentSealed)
      const reading = content === null ? 'other' : await readInTurn(read, content)
      if (content === null || typeof reading === 'string' || reading.kind === 'unknown') continue
      opened.push({ id, phoneId, content, reading })
    }
    await forEachAlone([...Map.groupBy(opened, ({ phoneId }) => phoneId)], ([phoneId, unread]) =>
      context.transaction((tx) => readOfPhone(tx, phoneId, unread, read, findLone)),
    ).catch((error: unknown) => failures.push(error))
    done += opened.length
    after = found.at(-1)?.id ?? null
    if (found.length < messagesAtOnce) break
  }
  if (failures.length > 0) throw new AggregateError(failures, `messages of ${bank} could not be read`)
  return done
}

/** By then every process reads with a new template, and what another one has read without it is recorded. */
const spreadsWithinMs = 30 * second

/** Lets templates be new now that a clock that was ahead has dated; returns how many. */
export const bringTemplatesBack = bringBack('message_templates', 'used_since')

/** Reads again what processes have received that did not know a template yet; returns how many templates were behind. */
export const catchUp = async (context: Context, findLone: FindLone): Promise<number> => {
  const behind = await context.query(listBehind, { before: context.clock() - spreadsWithinMs })
  return forEachAlone([...Map.groupBy(behind, ({ bank }) => bank)], async ([bank, templates]) => {
    await readWaiting(context, bank, findLone)
    for (const { id } of templates) await context.query(markCaughtUp, { id, caughtUpAt: context.clock() })
  })
}
