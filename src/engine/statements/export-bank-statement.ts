import { checkWritten, type OrderParty, type WrittenEntry, type WrittenStatement } from 'bank-files/pure'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { endOfDay } from '../../rules/money/reconciliation.ts'
import { noSuch, refuseField } from '../../rules/refusal.ts'
import {
  type BankStatementFormat,
  bankStatementFiles,
  mostEntries,
  writeBankStatement,
} from '../../rules/statements/bank-statement.ts'
import { day as dayMs, formatInstant, type Instant, minute } from '../../rules/time.ts'
import { orderBank } from '../../rules/transfers/refund-file.ts'
import type { Context } from '../context.ts'
import { readBooked } from '../ledger/reconciliation/read.ts'
import { type BankIssuer, bankIssuers } from '../requisites/bank-issuers.ts'
import { findOwnParty } from '../requisites/find-own-party.ts'
import { listSharing } from '../requisites/read.ts'
import { requisitePool, revealNumber } from '../requisites/requisite-pool.ts'
import { payeeDetails } from '../transfers/outgoing/payee-details.ts'
import { openSealed } from '../transfers/sealed-transfers.ts'

type Booked = Awaited<ReturnType<typeof readBooked>>['entries'][number]

/** Who paid, or was paid, and for what, as the bank has reported it. */
const openOtherSide = (
  { vault }: Pick<Context, 'vault'>,
  { id, transferId, payeeSealed, ...sent }: Booked,
  banks: ReadonlyMap<string, BankIssuer>,
): Pick<WrittenEntry, 'counterparty' | 'text'> => {
  if (payeeSealed !== null) {
    const { number, name, text } = payeeDetails(vault, id, payeeSealed)
    return { counterparty: { name, account: number, bank: null }, text }
  }
  const account = openSealed({ vault }, 'sender_sealed', transferId, sent.senderSealed)
  const name = openSealed({ vault }, 'sender_name_sealed', transferId, sent.senderNameSealed)
  const counterparty: OrderParty = { name, account, bank: orderBank(account, banks.get(sent.senderBank ?? '')) }
  return { counterparty, text: openSealed({ vault }, 'text_sealed', transferId, sent.textSealed) }
}

/** The first requisite of an account, on which its money is booked. */
const firstOf = async (context: Context, requisiteId: string): Promise<Requisite> => {
  const { byId } = await context.catalog.get(requisitePool)
  const [first = requisiteId] = (await listSharing(context, [requisiteId])).get(requisiteId) ?? []
  const requisite = byId.get(first)
  if (!requisite) throw noSuch('requisite')
  return requisite
}

const ownerOf = async (context: Context, requisite: Requisite): Promise<OrderParty> => {
  const owner = await findOwnParty(context, requisite)
  if (typeof owner === 'string') throw refuseField('id', `has no statement of its own. ${owner}`)
  return { ...owner, account: owner.account ?? revealNumber(context.vault, requisite) }
}

/** The first and the last day of a statement as instants; both must have begun. Refuses `validation_failed`. */
const readDays = (days: { readonly from: string; readonly to: string }, utcOffsetMinutes: number, now: Instant) => {
  const [first, last] = (['from', 'to'] as const).map((field) => {
    const end = endOfDay(days[field], utcOffsetMinutes, now)
    if (end === undefined) throw refuseField(field, 'is not a day that has begun.')
    return end
  }) as [Instant, Instant]
  if (first > last) throw refuseField('from', 'must not be after to.')
  if (last - first > 366 * dayMs) throw refuseField('to', 'is more than 366 days after from.')
  return { from: first - dayMs, to: last }
}

/**
 * What the bank of a requisite has booked on the days of a span, in full, as a file for accounting programs. Refuses
 * `resource_not_found`, and `validation_failed` for days before the first one that is known, or for what the format
 * cannot have.
 */
export const exportBankStatement = async (
  context: Context,
  requisiteId: string,
  { format, ...days }: { readonly from: string; readonly to: string; readonly format: BankStatementFormat },
) => {
  const requisite = await firstOf(context, requisiteId)
  const { id, currency, limits } = requisite
  const now = context.clock()
  const span = readDays(days, limits.utcOffsetMinutes, now)
  const booked = await readBooked(context, { requisiteId: id, currency }, { ...span, limit: mostEntries + 1 })
  const { opening, firstDay } = booked
  if (firstDay !== undefined && days.from < firstDay)
    throw refuseField('from', `is before ${firstDay}, the first day of this account here.`)
  if (booked.entries.length > mostEntries)
    throw refuseField('to', `makes more than ${mostEntries} entries: ask for fewer days.`)
  const banks = await context.catalog.get(bankIssuers)
  const localTime = (at: Instant): string => formatInstant(at + limits.utcOffsetMinutes * minute).slice(0, 19)
  const entries = booked.entries.map((each): WrittenEntry => {
    const { kind, amount, bookedAt, earliestAt, bookedOn, reference } = each
    // Of a reversal only the day is certain.
    const hasTime = earliestAt === null && kind !== 'reversals'
    return {
      id: each.id.replaceAll('-', ''),
      booked: bookedOn ?? (hasTime ? localTime(bookedAt) : localTime(earliestAt ?? bookedAt).slice(0, 10)),
      direction: amount > 0n ? 'credit' : 'debit',
      isReversal: kind === 'reversals' || kind === 'given-back',
      amount: amount < 0n ? -amount : amount,
      reference,
      ...openOtherSide(context, each, banks),
    }
  })
  const statement: WrittenStatement = {
    // 12 and 16 digits and two dashes of at most 35 characters.
    id: `${id.slice(-12)}-${days.from.replaceAll('-', '')}-${days.to.replaceAll('-', '')}`,
    ...{ writtenAt: localTime(now), currency, owner: await ownerOf(context, requisite), opening, entries },
    ...{ firstDay: days.from, lastDay: days.to },
  }
  const fault = format === 'csv' ? undefined : checkWritten(format, statement)
  if (fault !== undefined) throw refuseField('format', `cannot have this account. ${fault}`)
  const { ending, type } = bankStatementFiles[format]
  const fileName = `bank-statement-${days.from}-${days.to}.${ending}`
  return { fileName, type, entries: entries.length, content: writeBankStatement(format, statement) }
}
