import type { Tx } from '../context.ts'
import { type LoneReport, phoneReporter } from '../../rules/money/settlement.ts'
import { messageChannel } from '../../rules/transfers/channel.ts'
import type { ReportedTransfer } from '../../rules/transfers/transfer.ts'
import { recordTransfers } from '../transfers/record-transfers.ts'
import type { MessageContent } from './read-message.ts'
import { readContent } from './read-message.ts'
import type { StoredMessage } from './store.ts'

/** A message whose money becomes a transfer, with what the bank has written; null if that was deleted. */
export type MoneyMessage = { readonly row: StoredMessage; readonly content: MessageContent | null }

const toReport = ({ row, content }: MoneyMessage): ReportedTransfer => {
  const { id, phoneId, requisiteId, currency, amount, bookedAt, earliestAt } = row
  if (requisiteId === null || currency === null || amount === null || bookedAt === null)
    throw new Error(`phone message ${id} does not say what money it is`)
  const reading = content === null ? null : readContent(content)
  const { senderPhone = null, senderName = null, comment = null } = typeof reading === 'string' ? {} : (reading ?? {})
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

/** Whether a message brings money that is not a transfer yet. */
const isMoney = ({ row }: MoneyMessage): boolean => row.state === 'recorded' && row.transferId === null

/**
 * Records what messages bring as lone reports, each within the bound of its own phone; returns how to add the transfers to
 * their rows.
 */
export const recordMoney = async (
  tx: Tx,
  messages: readonly MoneyMessage[],
  findLone: (phoneId: string) => LoneReport | Promise<LoneReport>,
): Promise<(row: StoredMessage) => StoredMessage> => {
  const recorded = new Map<string, string | undefined>()
  for (const [phoneId, money] of Map.groupBy(messages.filter(isMoney), ({ row }) => row.phoneId)) {
    const transfers = await recordTransfers(tx, money.map(toReport), undefined, await findLone(phoneId))
    for (const [index, { row }] of money.entries()) recorded.set(row.id, transfers[index]?.id)
  }
  return (row) => ({ ...row, transferId: recorded.get(row.id) ?? row.transferId })
}
