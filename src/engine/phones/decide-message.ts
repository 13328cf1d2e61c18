import type { Context, Tx } from '../context.ts'
import { forEachAlone } from '../for-each-alone.ts'
import { phoneReporter } from '../../rules/money/settlement.ts'
import { lateMessageMs } from '../../rules/phones/phone.ts'
import { invalidState, noSuch, refuseField, requireRow } from '../../rules/refusal.ts'
import { listOpenings } from '../ledger/reconciliation/set-opening-balance.ts'
import { requisiteOffsets } from '../requisites/read.ts'
import { type MessageReader, openContent } from './read-message.ts'
import { holdAccount, listKnown, addAccount, trust } from './on-account.ts'
import { type FindLone, openMoney, recordMoney } from './receive-messages.ts'
import { withdrawForged } from '../transfers/withdraw-transfers.ts'
import { messageReader } from './templates/message-reader.ts'
import {
  findMessage,
  listOverdue,
  lockMessage,
  lockPhone,
  resolveMessage,
  type StoredMessage,
  updateMessages,
} from './store.ts'

const isOpen = ({ state, isDoubtful }: StoredMessage): boolean => state === 'waiting' || isDoubtful

/** Locks a message and its phone; refuses `resource_not_found`, and `invalid_state` if nothing waits. */
const lock = async (tx: Tx, id: string) => {
  const found = requireRow(await tx.query(findMessage, { id }), 'message')
  // In the order in which new messages lock them.
  const [phone] = await tx.query(lockPhone, { id: found.phoneId })
  const [message] = await tx.query(lockMessage, { id })
  if (!phone || !message) throw noSuch('message')
  if (!isOpen(message)) throw invalidState(`The message is ${message.state}; it waits for nobody.`)
  return { phone, message }
}

type Locked = Awaited<ReturnType<typeof lock>>

type Accepting = {
  readonly actor: string
  readonly requisiteId?: string | undefined
  readonly findLone: FindLone
  readonly read: MessageReader
}

/** Gives a message the account that an operator names. */
const nameAccount = async (tx: Tx, { phone, message }: Locked, { requisiteId, read }: Accepting) => {
  if (requisiteId === undefined)
    throw refuseField('requisiteId', 'is required: the message does not say whose money it is.')
  const requisite = (await listKnown(tx, phone)).find((each) => each.requisiteId === requisiteId)
  if (!requisite) throw refuseField('requisiteId', 'is not a requisite of the phone.')
  const content = openContent(tx.vault, message.id, message.contentSealed)
  const reading = content === null ? 'other' : read(content)
  if (typeof reading === 'string') throw invalidState('What the bank has written was deleted: type the money in.')
  if (reading.kind !== message.kind)
    throw invalidState('The template that has read it was withdrawn: type the money in.')
  if (reading.currency !== null && reading.currency !== requisite.currency)
    throw refuseField('requisiteId', `is in ${requisite.currency}, the message in ${reading.currency}.`)
  const { bookedOn } = requisite
  const earlier = (await holdAccount(tx, bookedOn)).filter(({ id }) => id < message.id)
  const offsetMs = (await requisiteOffsets(tx, [bookedOn])).get(bookedOn) ?? 0
  const beginsAt = (await listOpenings(tx, [bookedOn])).get(bookedOn)?.beginsAt ?? 0
  const account = { requisite, offsetMs, beginsAt, earlier, checksBalance: phone.checksBalance }
  const named = addAccount({ ...message, state: 'noted', reason: null }, reading, account, tx.now)
  if (named.state === 'waiting' && named.reason === 'balance')
    return { ...named, state: 'recorded', reason: null, isDoubtful: false } as const
  return named
}

const accept = async (tx: Tx, locked: Locked, accepting: Accepting): Promise<StoredMessage[]> => {
  const { message } = locked
  if (message.reason === 'unknown-text' || message.reason === 'incomplete')
    throw invalidState('The message does not say what money came: type it in (payin transfers record), and dismiss it.')
  if (message.reason === 'no-requisite') return [await nameAccount(tx, locked, accepting)]
  if (message.reason === 'possible-duplicate') return [{ ...message, state: 'recorded', reason: null }]
  const account = await holdAccount(tx, message.requisiteId ?? '')
  // Those that are compared need not have it, if many others came since.
  const isCompared = account.some(({ id }) => id === message.id)
  return trust(message.id, isCompared ? account : [message, ...account])
}

/**
 * Accepts a message that waits: its money is recorded, as far as its phone may, and its balance is right. Refuses
 * `resource_not_found`, `invalid_state`, `validation_failed`.
 */
export const acceptMessage = async (tx: Tx, id: string, accepting: Accepting): Promise<void> => {
  const { actor, findLone, read } = accepting
  const locked = await lock(tx, id)
  const accepted = await accept(tx, locked, accepting)
  const withTransfer = await recordMoney(tx, await openMoney(tx, accepted, read), (phoneId) => findLone(tx, phoneId))
  await tx.query(updateMessages, { rows: accepted.map(withTransfer) })
  await tx.query(resolveMessage, { id, resolvedBy: actor, resolvedAt: tx.now })
}

/**
 * Dismisses a message that waits: it brings no money, and its balance does not count. What a doubtful one has brought to the
 * inbox is withdrawn, unless an operator has decided about it. Refuses `resource_not_found`, `invalid_state`, `overloaded`.
 */
export const dismissMessage = async (tx: Tx, id: string, actor: string): Promise<void> => {
  const { message } = await lock(tx, id)
  const unchained = { moved: null, follows: null, gap: null, isDoubtful: false }
  const { requisiteId, transferId } = message
  const isForged = transferId === null || (await withdrawForged(tx, { requisiteId: requisiteId ?? '', id: transferId }))
  const row = {
    ...message,
    ...unchained,
    ...(isForged && ({ state: 'dismissed', reason: null, transferId: null } as const)),
  }
  await tx.query(updateMessages, { rows: [row] })
  await tx.query(resolveMessage, { id, resolvedBy: actor, resolvedAt: tx.now })
}

const accountsAtOnce = 100

/**
 * Sends the money of messages that have waited long enough for the one before them to the inbox; returns how many there
 * were.
 */
export const endWaiting = async (context: Context): Promise<number> => {
  const before = context.clock() - lateMessageMs
  const accounts = await context.query(listOverdue, { before, limit: accountsAtOnce })
  const requisiteIds = accounts.flatMap((each) => each.requisiteId ?? [])
  const read = await context.catalog.get(messageReader)
  let done = 0
  const end = (requisiteId: string): Promise<number> =>
    context.transaction(async (tx) => {
      const overdue = (await holdAccount(tx, requisiteId)).filter(
        ({ state, reason, receivedAt }) => state === 'waiting' && reason === 'balance' && receivedAt < before,
      )
      const ended = overdue.map((row) => ({ ...row, state: 'recorded' as const, reason: null }))
      const because = 'whose balance does not follow from the one before'
      const findLone = (phoneId: string) => ({ by: phoneReporter(phoneId), above: 0n, because })
      const withTransfer = await recordMoney(tx, await openMoney(tx, ended, read), findLone)
      await tx.query(updateMessages, { rows: ended.map(withTransfer) })
      return ended.length
    })
  await forEachAlone(requisiteIds, async (requisiteId) => {
    const ended = await end(requisiteId)
    done += ended
  })
  return done
}
