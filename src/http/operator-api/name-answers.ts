import type { Context } from '../../engine/context.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { listOrderIds, type PaymentKey } from '../../engine/payments/read.ts'
import { requisitePool } from '../../engine/requisites/requisite-pool.ts'

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
const toRequisiteName = ({ label, method, bankIssuer, numberMasked: number }: Requisite) => ({
  ...{ ...(label !== null && { label }), method, bankIssuer, number },
})

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
    const name = requisite
      ? (requisite.label ?? `${requisite.method} ${requisite.bankIssuer} ${requisite.numberMasked}`)
      : merchants.get(id)?.merchant.name
    return name === undefined ? undefined : account.replace(id, name)
  }
  // A report has many rows of the same requisite.
  const requisiteNames = new Map<string, object>()
  const requisiteName = (id: unknown): object | undefined => {
    const requisite = typeof id === 'string' ? requisites.get(id) : undefined
    if (!requisite) return undefined
    const known = requisiteNames.get(requisite.id) ?? toRequisiteName(requisite)
    requisiteNames.set(requisite.id, known)
    return known
  }
  const namesOf = (value: Fields): [string, unknown][] => {
    const names: [string, unknown][] = []
    const { merchantId, requisiteId, requisiteIds } = value
    const merchant = typeof merchantId === 'string' ? merchants.get(merchantId)?.merchant : undefined
    if (merchant) names.push(['merchantName', merchant.name])
    const requisite = requisiteName(requisiteId)
    if (requisite) names.push(['requisite', requisite])
    const several = Array.isArray(requisiteIds) ? requisiteIds : []
    if (several.length > 0) names.push(['requisites', several.map(requisiteName).filter((each) => each !== undefined)])
    const orderId = value['paymentId'] === undefined ? undefined : orders.get(paymentKey(value))
    if (orderId !== undefined) names.push(['orderId', orderId])
    for (const [field, nameField] of accountFields) {
      const account = value[field]
      const named = typeof account === 'string' ? accountName(account) : undefined
      if (named !== undefined) names.push([nameField, named])
    }
    return names
  }
  const name = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(name)
    if (!isObject(value)) return value
    const members = Object.entries(value)
    for (const member of members) member[1] = name(member[1])
    // The response's own fields come last, so they win.
    return Object.fromEntries([...namesOf(value), ...members])
  }
  return name(answer)
}
