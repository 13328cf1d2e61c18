import { lockAdding } from 'payin-database'
import type { Tx } from '../context.ts'
import { leastIdAt } from '../../rules/values/id-text.ts'
import { builtOn, findAfter, type Link } from '../../rules/phones/balance-chain.ts'
import { chooseRequisite, type KnownRequisite, lastDigits } from '../../rules/phones/choose-requisite.ts'
import { type EarlierMessage, judgeMessage } from '../../rules/phones/judge-message.ts'
import { type ForwardedMessage, mostByMessage } from '../../rules/phones/phone.ts'
import { readPrintedTime } from '../../rules/phones/printed-time.ts'
import { day, type Instant } from '../../rules/time.ts'
import { listOpenings } from '../ledger/reconciliation/set-opening-balance.ts'
import { listAccounts, requisiteOffsets } from '../requisites/read.ts'
import type { Phone } from './phones.ts'
import { type BankReading, minorOf } from './read-message.ts'
import { listMessagesOf, type StoredMessage } from './store.ts'

export type KeptMessage = { readonly message: ForwardedMessage; readonly reading: BankReading }

/** How far back the messages of an account are compared. */
const comparedMs = 31 * day

/** The requisites of a phone, with what is known of their accounts. */
export const listKnown = async (tx: Tx, phone: Phone): Promise<KnownRequisite[]> => {
  const accounts = await listAccounts(
    tx,
    phone.requisites.map(({ requisiteId }) => requisiteId),
  )
  return phone.requisites.flatMap((each) => {
    const account = accounts.find(({ id }) => id === each.requisiteId)
    return account ? [{ ...each, ...account }] : []
  })
}

/** The messages of accounts so far, by the requisites of these; others that add to them wait. */
const holdAccounts = async (tx: Tx, requisiteIds: readonly string[]): Promise<Map<string, StoredMessage[]>> => {
  const ids = requisiteIds.toSorted()
  await lockAdding(tx, ...ids.map((id) => `messages of ${id}`))
  const messages = await tx.query(listMessagesOf, { requisiteIds: ids, since: leastIdAt(tx.now - comparedMs) })
  const byAccount = Map.groupBy(messages, ({ requisiteId }) => requisiteId)
  return new Map(ids.map((id) => [id, byAccount.get(id) ?? []]))
}

/** The messages of one account; see `holdAccounts`. */
export const holdAccount = async (tx: Tx, requisiteId: string): Promise<StoredMessage[]> =>
  (await holdAccounts(tx, [requisiteId])).get(requisiteId) ?? []

const isLink = <T extends EarlierMessage>(each: T): each is T & Link => each.moved !== null

/** When the bank's message was sent, as far as anybody knows; never later than now. */
const sentAt = ({ sentAt: sent, receivedAt }: ForwardedMessage, now: Instant): Instant =>
  Math.min(sent ?? receivedAt ?? now, now)

const nothing = {
  ...{ templateId: null, requisiteId: null, currency: null, amount: null, balance: null, digits: null },
  ...{ bookedAt: null, earliestAt: null, moved: null, follows: null, gap: null },
  ...{ isDoubtful: false, reason: null, transferId: null, sameAs: null },
} as const

/** What a message becomes, without the chain of its account: it is not known, or says too little. */
export const startMessage = (tx: Tx, phone: Phone, { message, reading }: KeptMessage): StoredMessage => {
  const { channel, sim } = message
  const known = { id: tx.newId(), phoneId: phone.id, receivedAt: tx.now, channel, sim, bank: reading.bank }
  const row = { ...nothing, ...known, kind: 'unknown', bookedAt: sentAt(message, tx.now) }
  return addReading({ ...row, state: 'waiting', reason: 'unknown-text' }, reading)
}

/** Adds to a message that nobody could read what it says. */
export const addReading = (row: StoredMessage, { kind, account, templateId }: BankReading): StoredMessage =>
  kind === 'unknown'
    ? row
    : { ...row, kind, templateId, digits: lastDigits(account) || null, state: 'noted', reason: null }

/** What a message says about money whose requisite is not known. */
const moneyIn = ({ currency, amount, balance }: Partial<BankReading> = {}) =>
  currency ? { currency, amount: minorOf(amount ?? null, currency), balance: minorOf(balance ?? null, currency) } : {}

/** Adds to a message, which has the time when it was sent, what its account tells. */
export const addAccount = (
  row: StoredMessage,
  reading: BankReading,
  account: {
    readonly requisite: KnownRequisite
    readonly offsetMs: number
    readonly beginsAt: Instant
    readonly earlier: readonly StoredMessage[]
    readonly checksBalance: boolean
  },
  now: Instant,
): StoredMessage => {
  const { currency, bookedOn: requisiteId } = account.requisite
  const { earliestAt = null, ...printed } = readPrintedTime(reading.at, account.offsetMs, row.bookedAt ?? now)
  const bookedAt = Math.min(printed.bookedAt, now)
  const amount = minorOf(reading.amount, currency)
  const balance = minorOf(reading.balance, currency)
  const known = { ...row, requisiteId, currency, balance, bookedAt, earliestAt }
  const isCredit = row.kind === 'credit'
  if (amount === null || amount <= 0n || (isCredit && (reading.currency === null || amount > mostByMessage)))
    return isCredit ? { ...known, state: 'waiting', reason: 'incomplete' } : known
  const money = { ...known, amount, fee: minorOf(reading.fee, currency) ?? 0n }
  const { fee: _, ...said } = { ...money, ...judgeMessage(money, account.earlier, account.checksBalance) }
  if (said.state !== 'recorded' || bookedAt >= account.beginsAt) return said
  return { ...said, state: 'noted', reason: 'before-opening' }
}

/** A message whose balance is right, and all that build on it: those that waited because of it do so no longer. */
export const trust = (id: string, account: readonly StoredMessage[]): StoredMessage[] => {
  const sound = new Set(builtOn(id, account.filter(isLink)))
  return account.flatMap((each) => {
    if (!sound.has(each.id)) return []
    const isReleased = each.state === 'waiting' && each.reason === 'balance'
    return [{ ...each, isDoubtful: false, ...(isReleased && ({ state: 'recorded', reason: null } as const)) }]
  })
}

/** Earlier messages that a new one changes, because it was late. */
const follow = (row: StoredMessage, earlier: readonly StoredMessage[]): StoredMessage[] => {
  const after = isLink(row) ? findAfter(row, earlier.filter(isLink)) : undefined
  if (!after) return []
  const chained = earlier.map((each) => (each.id === after.id ? { ...each, ...after } : each))
  const isSound = !row.isDoubtful && after.gap === null
  return isSound ? trust(after.id, chained) : chained.filter(({ id }) => id === after.id)
}

const replaceIn = (all: readonly StoredMessage[], changed: readonly StoredMessage[]): StoredMessage[] =>
  all.map((each) => changed.find(({ id }) => id === each.id) ?? each)

/** The accounts that messages of a phone are about, on which these are added one after another. */
export const openAccounts = async (
  tx: Tx,
  phone: Phone,
  readings: readonly (BankReading & Pick<ForwardedMessage, 'sim'>)[],
) => {
  const known = await listKnown(tx, phone)
  const ids = [...new Set(known.map(({ bookedOn }) => bookedOn))]
  const [offsets, openings] = [await requisiteOffsets(tx, ids), await listOpenings(tx, ids)]
  const chosen = readings.map((reading) => ({ reading, requisite: chooseRequisite(reading, known) }))
  const accounts = await holdAccounts(tx, [...new Set(chosen.flatMap(({ requisite }) => requisite?.bookedOn ?? []))])
  const changed = new Map<string, StoredMessage>()

  const onAccount = (row: StoredMessage, reading: BankReading, requisite: KnownRequisite): StoredMessage => {
    const { bookedOn } = requisite
    const earlier = accounts.get(bookedOn) ?? []
    const [offsetMs, beginsAt] = [offsets.get(bookedOn) ?? 0, openings.get(bookedOn)?.beginsAt ?? 0]
    const account = { requisite, offsetMs, beginsAt, earlier, checksBalance: phone.checksBalance }
    return addAccount(row, reading, account, tx.now)
  }
  return {
    /** Adds the message of one of the readings; `mayBeKnown`: it may be one that came before. */
    add: (index: number, started: StoredMessage, mayBeKnown: boolean): StoredMessage => {
      const { reading, requisite } = chosen[index] ?? {}
      let row = started
      if (reading && requisite && row.state !== 'waiting') row = onAccount(row, reading, requisite)
      else if (row.kind === 'credit')
        row = { ...row, ...moneyIn(chosen[index]?.reading), state: 'waiting', reason: 'no-requisite' }
      if (mayBeKnown && row.state === 'recorded') row = { ...row, state: 'waiting', reason: 'possible-duplicate' }
      if (!requisite) return row
      const earlier = accounts.get(requisite.bookedOn) ?? []
      const following = follow(row, earlier)
      for (const one of following) changed.set(one.id, one)
      accounts.set(requisite.bookedOn, [...replaceIn(earlier, following), row])
      return row
    },
    /** A message as those after it have changed it. */
    now: (row: StoredMessage): StoredMessage => changed.get(row.id) ?? row,
    changed: (): StoredMessage[] => [...changed.values()],
  }
}
