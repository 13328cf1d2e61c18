import type { Context } from '../../context.ts'
import { letOthersRun } from '../../let-others-run.ts'
import { lastDigits } from '../../../rules/phones/choose-requisite.ts'
import { type MessageState, type TemplateChange, templateChanges } from '../../../rules/phones/phone.ts'
import { leastIdAt } from '../../../rules/values/id-text.ts'
import { day, type Instant } from '../../../rules/time.ts'
import {
  type BankReading,
  createMessageReader,
  matcherOf,
  minorOf,
  openContent,
  type TaughtTemplate,
} from '../read-message.ts'
import { listKept, selectUsedTemplates } from './store.ts'

/** A kept message that has the text of a template: how it is read without it, and with it. */
export type Tried = {
  readonly messageId: string
  readonly phoneId: string
  readonly receivedAt: Instant
  readonly state: MessageState
  readonly change: TemplateChange
  readonly kindNow: string
  readonly amountNow: bigint | null
  readonly kind: string
  readonly currency: string | null
  readonly amount: bigint | null
  readonly balance: bigint | null
  readonly digits: string | null
}

/** What a template reads of the messages of its bank that are kept. */
export type Trial = {
  readonly tried: number
  readonly counts: Readonly<Record<TemplateChange, number>>
  /** The newest of each change, what is contradicted first. */
  readonly messages: readonly Tried[]
  /** How the message is read from which the template was made. */
  readonly own: Tried | undefined
}

const messagesAtOnce = 500
const mostShown = 100

const isSame = (one: BankReading, other: BankReading): boolean =>
  (['kind', 'amount', 'currency', 'account', 'balance', 'fee'] as const).every((name) => one[name] === other[name])

const compare = (now: BankReading, then: BankReading): TemplateChange => {
  if (now.kind === 'unknown') return then.kind === 'unknown' ? 'unclear' : 'read'
  return isSame(now, then) ? 'same' : 'contradicted'
}

type Kept = ReturnType<typeof listKept.decode>

const toTried = (kept: Kept, now: BankReading, then: BankReading): Tried => {
  const { id: messageId, phoneId, receivedAt, state } = kept
  const currency = then.currency ?? now.currency
  const money = (amount: string | null): bigint | null => (currency === null ? null : minorOf(amount, currency))
  return {
    ...{ messageId, phoneId, receivedAt, state, currency, change: compare(now, then) },
    ...{ kindNow: now.kind, amountNow: money(now.amount) },
    ...{ kind: then.kind, amount: money(then.amount), balance: money(then.balance) },
    digits: lastDigits(then.account) || null,
  }
}

/** Tries a template on all messages of its bank whose texts are kept, as if it were used next to the others. */
export const tryOnKept = async (
  context: Context,
  template: Omit<TaughtTemplate, 'id'> & { readonly id?: string; readonly messageId: string },
): Promise<Trial> => {
  const others = (await context.query(selectUsedTemplates, {})).filter(({ id }) => id !== template.id)
  const readNow = createMessageReader(others)
  const readThen = createMessageReader([...others, { id: '', ...template }])
  const matches = matcherOf(template)
  const since = leastIdAt(context.clock() - (context.settings.messageDays + 2) * day)
  const found: Record<TemplateChange, Tried[]> = { contradicted: [], read: [], unclear: [], same: [] }
  const counts = { contradicted: 0, read: 0, unclear: 0, same: 0 }
  let own: Tried | undefined
  let [before, tried]: [string | null, number] = [null, 0]
  for (;;) {
    const rows: readonly Kept[] = await context.query(listKept, {
      ...{ bank: template.bank, since, before, limit: messagesAtOnce },
    })
    for (const row of rows) {
      await letOthersRun()
      const content = openContent(context.vault, row.id, row.contentSealed)
      const [now, then] = content !== null && matches(content) ? [readNow(content), readThen(content)] : []
      if (typeof now !== 'object' || typeof then !== 'object') continue
      const one = toTried(row, now, then)
      counts[one.change] += 1
      if (found[one.change].length < mostShown) found[one.change].push(one)
      if (row.id === template.messageId) own = one
    }
    tried += rows.length
    before = rows.at(-1)?.id ?? null
    if (rows.length < messagesAtOnce) break
  }
  const messages = templateChanges.flatMap((change) => found[change]).slice(0, mostShown)
  return { tried, counts, messages, own }
}
