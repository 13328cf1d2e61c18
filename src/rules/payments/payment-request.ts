import { currencyDecimals, parseDecimal, showAmount } from '../values/currency.ts'
import type { CurrencyLimits, MerchantSettings } from '../merchants/merchant.ts'
import type { Metadata, PaymentRequest, PaymentType } from './payment.ts'
import { isDotSegment } from './order-id.ts'
import { fastMethod, methodRules, type PaymentMethod, scopedMethods } from '../values/payment-method.ts'
import { type FieldProblem, refuseProblems, type Refusal, type RefusalCode } from '../refusal.ts'

/** The create request in wire words (docs/contract.md §2.2), with types already checked. */
export type WireRequest = {
  readonly type: PaymentType
  /** The digits of the JSON number, as sent. */
  readonly amount: string
  readonly orderId: string
  readonly currency: string
  readonly method?: PaymentMethod | undefined
  readonly sbpEnabled?: boolean | undefined
  readonly transferScope?: string | undefined
  readonly bankIssuer?: string | undefined
  readonly userId?: string | undefined
  readonly returnUrl?: string | undefined
  readonly locale?: string | undefined
  readonly metadata?: Metadata | undefined
}

/** What a request is validated against for its merchant. */
export type RequestRules = {
  readonly limits: ReadonlyMap<string, CurrencyLimits>
  readonly settings: Pick<MerchantSettings, 'returnHosts'>
  readonly isBankIssuer: (code: string) => boolean
}

/** Whether an address is a web page on one of the hosts. */
export const isReturnUrl = (value: string, hosts: readonly string[]): boolean => {
  const url = URL.parse(value)
  if (!url || url.username !== '' || url.password !== '') return false
  return (url.protocol === 'https:' || url.protocol === 'http:') && hosts.includes(url.host)
}

type Add = (field: string, code: RefusalCode, message: string) => void

const readAmount = (wire: WireRequest, limits: RequestRules['limits'], add: Add): bigint => {
  const { currency } = wire
  const bounds = limits.get(currency)
  if (!bounds) {
    const known = [...limits.keys()].join(', ') || 'none yet'
    add('currency', 'currency_not_supported', `is not supported; supported: ${known}.`)
    return 0n
  }
  const decimals = currencyDecimals(currency)
  const amount = parseDecimal(wire.amount, decimals)
  const isNegative = wire.amount.startsWith('-')
  if (amount === 'precision') add('amount', 'amount_precision', `has more than ${decimals} decimals.`)
  else if (!isNegative && (amount === 'range' || amount > bounds.max))
    add('amount', 'amount_above_max', `must be at most ${showAmount(bounds.max, currency)}.`)
  else if (amount === 'range' || amount < bounds.min)
    add('amount', 'amount_below_min', `must be at least ${showAmount(bounds.min, currency)}.`)
  return typeof amount === 'bigint' ? amount : 0n
}

const checkCombinations = (wire: WireRequest, method: PaymentMethod, add: Add): void => {
  const scope = methodRules[method].transferScope
  if (scope !== null && wire.transferScope === undefined) {
    add('transferScope', 'transfer_scope_required', `is required with method ${method}: ${scope}.`)
  }
  if (scope === null && wire.transferScope !== undefined) {
    add('transferScope', 'transfer_scope_not_allowed', `is allowed with method ${scopedMethods.join(', ')} only.`)
  }
}

/**
 * Turns a wire request into a payment request by the rules of docs/domain.md §3.1. Reports all wrong fields together;
 * the refusal's code is that of the first: `currency_not_supported`, `amount_*`, `transfer_scope_*`, `bank_issuer_unknown`
 * or `validation_failed`.
 */
export const readPaymentRequest = (wire: WireRequest, rules: RequestRules): PaymentRequest | Refusal => {
  const method = wire.method ?? fastMethod
  const problems: FieldProblem[] = []
  const add: Add = (field, code, message) => void problems.push({ field, code, message })
  const amount = readAmount(wire, rules.limits, add)
  if (isDotSegment(wire.orderId)) {
    add('orderId', 'validation_failed', 'must not be . or ..: no address of the order would lead to it.')
  }
  checkCombinations(wire, method, add)
  if (wire.bankIssuer !== undefined && !rules.isBankIssuer(wire.bankIssuer)) {
    add(
      'bankIssuer',
      'bank_issuer_unknown',
      'is not the code of a known bank; GET /api/v1/merchant/payments/bankIssuers lists them.',
    )
  }
  if (wire.returnUrl !== undefined && !isReturnUrl(wire.returnUrl, rules.settings.returnHosts)) {
    const hosts = rules.settings.returnHosts.join(', ') || 'none yet'
    add('returnUrl', 'validation_failed', `must be a URL on a host that the operator has registered for you: ${hosts}.`)
  }
  const refusal = refuseProblems(problems)
  if (refusal) return refusal
  return {
    type: wire.type,
    method,
    amount,
    currency: wire.currency,
    orderId: wire.orderId,
    // Clients that always send it mean the same by "false" as by leaving it out.
    sbpEnabled: wire.sbpEnabled ?? false,
    transferScope: methodRules[method].transferScope,
    bankIssuer: wire.bankIssuer ?? null,
    userId: wire.userId ?? null,
    returnUrl: wire.returnUrl ?? null,
    locale: wire.locale ?? null,
    // Empty metadata counts as none.
    metadata: Object.keys(wire.metadata ?? {}).length > 0 ? (wire.metadata ?? null) : null,
  }
}
