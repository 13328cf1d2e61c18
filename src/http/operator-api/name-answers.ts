import type { Context } from '../../context.ts'
import type { Requisite } from '../../domain/requisite.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { listOrderIds, type PaymentKey } from '../../payments/read.ts'
import { requisitePool } from '../../requisites/requisite-pool.ts'
import { wire } from '../fields.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields with an account of the ledger, and the fields with its name. */
const accountFields = [
  ['debit', 'debitName'],
  ['debitAccount', 'debitName'],
  ['credit', 'creditName'],
  ['creditAccount', 'creditName'],
] as const

const idInAccount = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !(value instanceof Date)

/** How operators know a requisite; its number is masked. */
const toAccountName = ({ label, method, bankIssuer, numberMasked }: Requisite) =>
  wire.fields({ label, method, bankIssuer, number: numberMasked })

const paymentKey = (value: Fields): string => `${String(value['merchantId'])} ${String(value['paymentId'])}`

/** Payments of which a response has only the ids. */
const collectPayments = (value: unknown, found: Map<string, PaymentKey>): void => {
  if (!isObject(value)) return
  const { merchantId, paymentId, orderId } = value
  if (typeof merchantId === 'string' && typeof paymentId === 'string' && orderId === undefined) {
    found.set(paymentKey(value), { merchantId, paymentId })
  }
  for (const member of Object.values(value)) collectPayments(member, found)
}

/**
 * Adds names to a response, next to the ids in it: `merchantName` to `merchantId`, `requisite` to `requisiteId`
 * (`requisites` to `requisiteIds`), `orderId` to the ids of a payment, `debitName` and `creditName` to accounts of the
 * ledger. The schema of the response decides which of them are shown. Merchants and requisites are in memory; the
 * orders of all payments are one look-up.
 */
export const nameAnswer = async (context: Context, answer: unknown): Promise<unknown> => {
  const [merchants, { byId: requisites }] = await Promise.all([
    context.catalog.get(merchantDirectory),
    context.catalog.get(requisitePool),
  ])
  const unnamed = new Map<string, PaymentKey>()
  collectPayments(answer, unnamed)
  const orders = await listOrderIds(context, [...unnamed.values()])
  const accountName = (account: string): string | undefined => {
    const [id] = idInAccount.exec(account) ?? []
    if (id === undefined) return undefined
    const requisite = requisites.get(id)
    const { label = null, method = '', bankIssuer = '', number = '' } = requisite ? toAccountName(requisite) : {}
    const name = requisite
      ? (label ?? `${method} ${bankIssuer} ${number.replace('•••• ', '•')}`)
      : merchants.get(id)?.merchant.name
    return name === undefined ? undefined : account.replace(id, name)
  }
  const accountNamesOf = (value: Fields): Fields =>
    Object.fromEntries(
      accountFields.flatMap(([field, nameField]) => {
        const account = value[field]
        const named = typeof account === 'string' ? accountName(account) : undefined
        return named === undefined ? [] : [[nameField, named]]
      }),
    )
  const namesOf = (value: Fields): Fields => {
    const merchant = merchants.get(String(value['merchantId']))?.merchant
    const requisite = requisites.get(String(value['requisiteId']))
    const orderId = orders.get(paymentKey(value))
    const several = Array.isArray(value['requisiteIds'])
      ? value['requisiteIds'].map((id) => requisites.get(String(id)))
      : []
    return {
      ...(merchant ? { merchantName: merchant.name } : {}),
      ...(requisite ? { requisite: toAccountName(requisite) } : {}),
      ...(several.length > 0 ? { requisites: several.filter((each) => each !== undefined).map(toAccountName) } : {}),
      ...(orderId === undefined ? {} : { orderId }),
      ...accountNamesOf(value),
    }
  }
  const name = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(name)
    if (!isObject(value)) return value
    const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, name(member)])
    return { ...namesOf(value), ...Object.fromEntries(members) }
  }
  return name(answer)
}
