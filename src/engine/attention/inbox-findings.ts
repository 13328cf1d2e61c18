import { describeTime } from '../../rules/notices/alert-message.ts'
import { type AlertFinding, mostFindings } from '../../rules/notices/alert.ts'
import { waitingKinds } from '../../rules/notices/waiting.ts'
import { showAmount } from '../../rules/values/currency.ts'
import type { listInbox } from './store.ts'

/** The inbox is one incident, and another one each time that it has grown to these many transfers. */
const grownTo = [10, 100]

type Inbox = ReturnType<typeof listInbox.decode>

/** What waits in the inbox, the oldest first, as incidents. */
export const inboxFindings = (waiting: readonly Inbox[]): AlertFinding[] => {
  const [oldest] = waiting
  if (!oldest) return []
  const sums = new Map<string, bigint>()
  for (const { currency, amount } of waiting) sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  const money = [...sums].map(([currency, sum]) => showAmount(sum, currency)).join(', ')
  const sender = oldest.senderMasked === '' ? '' : ` from ${oldest.senderMasked}`
  const count = waiting.length < mostFindings ? `${waiting.length} transfers` : `${mostFindings} transfers or more`
  const summary =
    waiting.length === 1
      ? `${money}${sender} to ${oldest.numberMasked} waits in the inbox.`
      : `${count} wait in the inbox, ${money} together, the oldest since ${describeTime(oldest.since)}.`
  const found = { summary, since: oldest.since, command: waitingKinds.transfers.command }
  const grown = grownTo.filter((size) => waiting.length >= size)
  return [
    { ...found, subject: 'inbox' },
    ...grown.map((size) => ({ ...found, subject: `inbox:${size}`, summary: `The inbox has grown to ${count}.` })),
  ]
}
