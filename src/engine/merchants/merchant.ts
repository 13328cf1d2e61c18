import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../catalog.ts'
import { noFeeCap } from '../../rules/merchants/fee.ts'
import { serviceBook } from '../../rules/money/ledger.ts'
import {
  defaultMerchantSettings,
  type Merchant,
  type MerchantMode,
  type MerchantSettings,
  type CurrencyLimits,
  defaultTerms,
  type Terms,
  termsBounds,
  maxLogoBytes,
} from '../../rules/merchants/merchant.ts'
import { isCurrency, usdt } from '../../rules/values/currency.ts'
import type { PaymentMethod } from '../../rules/values/payment-method.ts'
import { readPicture } from '../../rules/payments/picture.ts'
import { invalid, invalidState, refuseField, Refusal } from '../../rules/refusal.ts'
import { readPeriod } from '../../rules/money/merchant-report.ts'
import { formatInstant, type Instant, startsOf } from '../../rules/time.ts'
import { chainHash } from '../../secrets/hashes.ts'
import { findMerchant } from './read.ts'
import {
  deleteLogo,
  findTerms,
  insertMerchant,
  listTerms,
  lockReported,
  lockScheduled,
  noteReported,
  noteScheduled,
  updateMerchantRow,
  upsertLimits,
  upsertLogo,
  upsertTerms,
} from './store.ts'

/** Refuses `validation_failed` for a quote currency that nobody has: no rate would ever come for it. */
const checkSettings = ({ quoteCurrency = usdt }: Partial<MerchantSettings>): void => {
  if (quoteCurrency === usdt || isCurrency(quoteCurrency)) return
  throw refuseField('settings.quoteCurrency', 'is the code of no currency.')
}

/** Refuses `validation_failed` for reports and settlements that go nowhere. */
const checkSchedules = ({ reportEvery, reportTo, settlementEvery, settlementTo }: MerchantSettings): void => {
  if (settlementEvery !== null && settlementTo === null)
    throw refuseField('settings.settlementTo', 'is required with settlementEvery.')
  if (reportEvery !== null && reportTo.length === 0)
    throw refuseField('settings.reportTo', 'is required with reportEvery.')
}

/** Creates an active merchant. Refuses `validation_failed`. */
export const createMerchant = async (
  tx: Tx,
  wanted: { readonly name: string; readonly mode: MerchantMode; readonly settings: Partial<MerchantSettings> },
): Promise<Merchant> => {
  checkSettings(wanted.settings)
  const merchant: Merchant = {
    id: tx.newId(),
    name: wanted.name,
    mode: wanted.mode,
    status: 'active',
    settings: { ...defaultMerchantSettings, ...wanted.settings },
    createdAt: tx.now,
  }
  checkSchedules(merchant.settings)
  const { reportEvery } = merchant.settings
  await tx.query(insertMerchant, { ...merchant, reportedUntil: reportEvery && startsOf(tx.now)[reportEvery] })
  await raiseCatalogVersion(tx, 'merchants')
  return merchant
}

/** Refuses to give amounts that were set in one currency the value of another one. */
const checkAmounts = async (
  tx: Tx,
  { id, settings }: Merchant,
  { quoteCurrency = settings.quoteCurrency, ...given }: Partial<MerchantSettings>,
): Promise<void> => {
  if (quoteCurrency === settings.quoteCurrency) return
  for (const name of ['maxDebt', 'minSettlement', 'maxSettlementPerDay'] as const)
    if (settings[name] !== null && given[name] === undefined)
      throw refuseField(`settings.${name}`, 'is required with another quoteCurrency, whose units it is in.')
  const own = (await tx.query(listTerms, {})).filter(({ merchantId }) => merchantId === id)
  const hasAmounts = ({ feeFixedMicro = 0n, feeMinMicro = 0n, feeMaxMicro = noFeeCap }: Partial<Terms>): boolean =>
    feeFixedMicro > 0n || feeMinMicro > 0n || feeMaxMicro < noFeeCap
  if (own.some(({ terms }) => hasAmounts(terms)))
    throw invalidState('Its terms have fees in the present currency: first let these follow the defaults (null).')
}

/**
 * Changes a merchant's name, status or settings and returns it before and after; refuses `resource_not_found`,
 * `validation_failed`, and `invalid_state` if terms have amounts in another quote currency.
 */
export const updateMerchant = async (
  tx: Tx,
  id: string,
  wanted: {
    readonly name?: string | undefined
    readonly status?: Merchant['status'] | undefined
    readonly settings?: Partial<MerchantSettings> | undefined
  },
): Promise<{ before: Merchant; after: Merchant }> => {
  checkSettings(wanted.settings ?? {})
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'merchants')
  const before = await findMerchant(tx, id)
  await checkAmounts(tx, before, wanted.settings ?? {})
  const after: Merchant = {
    ...before,
    name: wanted.name ?? before.name,
    status: wanted.status ?? before.status,
    settings: { ...before.settings, ...wanted.settings },
  }
  checkSchedules(after.settings)
  await tx.query(updateMerchantRow, { id, name: after.name, status: after.status, settings: after.settings })
  // A new schedule first settles at the next beginning of its span.
  if (after.settings.settlementEvery !== before.settings.settlementEvery)
    await tx.query(noteScheduled, { id, scheduledAt: tx.now })
  // The first report is of the present day or month.
  const { reportEvery } = after.settings
  if (reportEvery !== null && reportEvery !== before.settings.reportEvery)
    await tx.query(noteReported, { id, reportedUntil: startsOf(tx.now)[reportEvery] })
  return { before, after }
}

/**
 * A merchant that is to be sent the report of a day or month that ended before `final`, and when that began; it is noted as
 * taken, so that no other process takes it. `undefined` if there is none.
 */
export const takeDueReport = async (tx: Tx, final: Instant) => {
  const [due] = await tx.query(lockReported, startsOf(final))
  const every = due?.settings.reportEvery ?? null
  if (!due || every === null) return undefined
  const { id: merchantId, reportedUntil: from } = due
  const period = formatInstant(from).slice(0, every === 'day' ? 10 : 7)
  await tx.query(noteReported, { id: merchantId, reportedUntil: readPeriod(period).to })
  return { merchantId, period }
}

/**
 * A live merchant whose schedule of settlements has a new span, and when it was last taken (`null`: never); it is noted as
 * taken now, so that no other process takes it. `undefined` if there is none.
 */
export const takeDueSchedule = async (tx: Tx) => {
  const [due] = await tx.query(lockScheduled, startsOf(tx.now))
  if (due) await tx.query(noteScheduled, { id: due.id, scheduledAt: tx.now })
  return due
}

/**
 * Sets the bounds of a payment's amount in a currency, for one merchant or (`null`) for all without their own. Refuses
 * `resource_not_found`, `validation_failed`.
 */
export const setLimits = async (tx: Tx, merchantId: string | null, limits: CurrencyLimits): Promise<void> => {
  if (merchantId !== null) await findMerchant(tx, merchantId)
  if (limits.min <= 0n || limits.min > limits.max) {
    throw refuseField('min', 'must be greater than 0 and at most max.')
  }
  await tx.query(upsertLimits, { ...limits, merchantId: merchantId ?? serviceBook })
  await raiseCatalogVersion(tx, 'merchants')
}

/** Terms that change; one that is null follows the default. */
export type ChangedTerms = { readonly [Name in keyof Terms]?: Terms[Name] | null }

/**
 * Changes a merchant's own terms for a method, and returns all of them; other terms follow the defaults. Existing payments
 * keep theirs. Refuses `resource_not_found`, `validation_failed`.
 */
export const setTerms = async (
  tx: Tx,
  merchantId: string,
  method: PaymentMethod,
  change: ChangedTerms,
): Promise<Partial<Terms>> => {
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'merchants')
  await findMerchant(tx, merchantId)
  const [before] = await tx.query(findTerms, { merchantId, method })
  const changed = Object.entries({ ...before?.terms, ...change }).filter(([, value]) => value !== null)
  const terms = Object.fromEntries(changed) as Partial<Terms>
  const errors = Object.entries(termsBounds).flatMap(([field, [min, max]]) => {
    const value = terms[field as keyof typeof termsBounds]
    const isWhole = typeof value === 'bigint' || Number.isInteger(value)
    const fits = value === undefined || (isWhole && value >= min && value <= max)
    return fits ? [] : [invalid(field, `must be a whole number from ${min} to ${max}.`)]
  })
  const { feeMinMicro, feeMaxMicro } = { ...defaultTerms(method), ...terms }
  if (feeMinMicro > feeMaxMicro) errors.push(invalid('feeMinMicro', 'must not be greater than feeMaxMicro.'))
  if (errors.length > 0) throw new Refusal('validation_failed', 'Some terms are out of bounds.', { errors })
  await tx.query(upsertTerms, { merchantId, method, terms })
  return terms
}

/** Most pixels of a logo on a side: a small file may decode to a picture that fills a phone's memory. */
const maxLogoPixels = 2000

/**
 * Sets a merchant's logo, a PNG, JPEG or WebP, or removes it with `null`; returns its hash. Refuses
 * `resource_not_found` and `validation_failed`.
 */
export const setLogo = async (tx: Tx, merchantId: string, content: Uint8Array | null): Promise<string | null> => {
  await raiseCatalogVersion(tx, 'merchants')
  await findMerchant(tx, merchantId)
  if (content === null) {
    await tx.query(deleteLogo, { merchantId })
    return null
  }
  const refuse = (why: string) => refuseField('image', why)
  if (content.length > maxLogoBytes) throw refuse(`is larger than ${maxLogoBytes / 1024} KiB.`)
  const picture = readPicture(content)
  if (!picture) throw refuse('is not a PNG, JPEG or WebP.')
  const { type: contentType, width, height } = picture
  if (Math.max(width, height) > maxLogoPixels) throw refuse(`is larger than ${maxLogoPixels} pixels on a side.`)
  const text = Buffer.from(content).toString('base64')
  const hash = chainHash(merchantId, text).slice(0, 32)
  await tx.query(upsertLogo, { merchantId, hash, contentType, content: text, width, height })
  return hash
}
