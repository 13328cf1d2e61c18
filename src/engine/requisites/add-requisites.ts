import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../catalog.ts'
import { lockAdding } from 'payin-database'
import { plainAccount } from 'bank-files/pure'
import { checkRecipient, noRecipient, type Recipient } from '../../rules/requisites/recipient.ts'
import { maskNumber } from '../../rules/values/masking.ts'
import { methodRules, scopedMethods } from '../../rules/values/payment-method.ts'
import { type FieldError, invalid, Refusal, refuseProblems } from '../../rules/refusal.ts'
import { noRequisiteLimits, type Requisite, type RequisiteLimits } from '../../rules/requisites/requisite.ts'
import { type BankIssuer, bankIssuers } from './bank-issuers.ts'
import { holdBindings } from './bindings/binding.ts'
import { requisiteNumber, sealRecipient } from './requisite-pool.ts'
import { insertRequisites, listRequisites, listRequisitesByNumber, listModesOfNumbers } from './store.ts'

/** A receiving account to add; `number` is its card, account or phone number in digits. */
export type NewRequisite = Pick<
  Requisite,
  'merchantId' | 'mode' | 'method' | 'currency' | 'transferScope' | 'bankIssuer' | 'holder'
> & {
  readonly label?: string | null
  readonly number: string
  readonly recipient?: Partial<Recipient>
  readonly limits: Partial<RequisiteLimits>
}

const checkRequisite = (wanted: NewRequisite, index: number, banks: ReadonlyMap<string, BankIssuer>): FieldError[] => {
  const wrong = (field: string, message: string): FieldError[] => [invalid(`requisites.${index}.${field}`, message)]
  const { fits, form, transferScope } = methodRules[wanted.method]
  return [
    ...(fits(wanted.number) ? [] : wrong('number', `must be ${form} for method ${wanted.method}.`)),
    ...(banks.has(wanted.bankIssuer)
      ? []
      : wrong(
          'bankIssuer',
          `is not the code of a known bank issuer${banks.size > 0 ? '' : ': none has been added yet'}.`,
        )),
    ...(wanted.transferScope === transferScope
      ? []
      : wrong('transferScope', `is only for method ${scopedMethods.join(', ')}.`)),
    ...checkRecipient({ ...noRecipient, ...wanted.recipient }, wanted, banks.get(wanted.bankIssuer)).flatMap(
      ({ field, message }) => wrong(field === 'number' ? field : `recipient.${field}`, message),
    ),
  ]
}

type NumberedRow = Pick<NewRequisite, 'method' | 'currency' | 'mode'> & { readonly olderIndexes: readonly string[] }

const alreadyThere = (wrong: readonly boolean[], summary: string, message: string): Refusal =>
  new Refusal('already_exists', summary, {
    errors: wrong.flatMap((is, index) =>
      is ? [{ field: `requisites.${index}.number`, code: 'already_exists' as const, message }] : [],
    ),
  })

/** Which rows have numbers that exist under an older key's index, where no constraint recognises them. */
const findOlder = async (tx: Tx, rows: readonly NumberedRow[]): Promise<boolean[]> => {
  const numberIndexes = rows.flatMap(({ olderIndexes }) => olderIndexes)
  if (numberIndexes.length === 0) return rows.map(() => false)
  await lockAdding(tx, 'account numbers')
  const known = await tx.query(listRequisitesByNumber, { numberIndexes })
  return rows.map((row) =>
    known.some(
      ({ method, currency, numberIndex }) =>
        method === row.method && currency === row.currency && row.olderIndexes.includes(numberIndex),
    ),
  )
}

/**
 * Refuses added requisites whose number a requisite or bound account of the other mode has: a file of that account would
 * bring simulated money into real books, or the other way round.
 */
const refuseOtherMode = async (tx: Tx, added: readonly NewRequisite[]): Promise<void> => {
  const numbered = added.map(({ number, mode }) => {
    const ofAccount = tx.vault.blindIndexes('statement-account', plainAccount(number))
    const indexes = [...tx.vault.blindIndexes('requisite', number), ...ofAccount]
    return { other: mode === 'live' ? 'sandbox' : 'live', indexes }
  })
  const rows = await tx.query(listModesOfNumbers, { numberIndexes: numbered.flatMap(({ indexes }) => indexes) })
  const known = new Set(rows.map(({ mode, numberIndex }) => `${mode} ${numberIndex}`))
  const errors = numbered.flatMap(({ other, indexes }, index) =>
    indexes.some((each) => known.has(`${other} ${each}`))
      ? [invalid(`requisites.${index}.number`, `is the number of a requisite or account of mode ${other}.`)]
      : [],
  )
  if (errors.length > 0)
    throw new Refusal('validation_failed', 'A number belongs to one mode, live or sandbox; none was added.', { errors })
}

/**
 * Refuses `second_person_required` for zones that no account of the bank has, other than the default: the bank's times
 * would be read in a zone that one person has chosen.
 */
export const refuseNewZones = async (tx: Tx, wanted: readonly NewRequisite[]): Promise<void> => {
  const zoneOf = ({ mode, bankIssuer, limits }: Pick<NewRequisite, 'mode' | 'bankIssuer' | 'limits'>) =>
    `${mode} ${bankIssuer} ${limits.utcOffsetMinutes}`
  const known = new Set((await tx.query(listRequisites, {})).map(zoneOf))
  const usual = noRequisiteLimits.utcOffsetMinutes
  const code = 'second_person_required'
  const message =
    'is of no account of this bank: omit it, and two operators set it afterwards (payin requisites limit).'
  const errors = wanted.flatMap((each, index) => {
    const isKnown = known.has(zoneOf(each)) || (each.limits.utcOffsetMinutes ?? usual) === usual
    const field = `requisites.${index}.limits.utcOffsetMinutes`
    return isKnown || each.mode === 'sandbox' ? [] : [{ field, code, message } as const]
  })
  const refusal = refuseProblems(errors)
  if (refusal) throw refusal
}

/**
 * Adds requisites, all or none, as the operator `by`, and returns their ids in order. Refuses `validation_failed`, also
 * for a number of the other mode, and `already_exists` if one of the numbers already exists for its method and currency.
 */
export const addRequisites = async (
  tx: Tx,
  wanted: readonly NewRequisite[],
  by: string | null = null,
): Promise<string[]> => {
  const banks = await bankIssuers.load(tx, undefined)
  const errors = wanted.flatMap((each, index) => checkRequisite(each, index, banks))
  if (errors.length > 0)
    throw new Refusal('validation_failed', 'Some requisites are not valid; none was added.', { errors })
  const rows = wanted.map(({ recipient, ...each }) => {
    const id = tx.newId()
    return {
      ...each,
      id,
      label: each.label ?? null,
      numberSealed: requisiteNumber.seal(tx.vault, id, each.number),
      numberIndex: tx.vault.blindIndex('requisite', each.number),
      olderIndexes: tx.vault.blindIndexes('requisite', each.number).slice(1),
      numberMasked: maskNumber(each.number),
      recipientSealed: sealRecipient(tx.vault, id, { ...noRecipient, ...recipient }),
      limits: { ...noRequisiteLimits, ...each.limits },
      status: 'active' as const,
    }
  })
  // Nobody binds an account or adds the same number in the other mode meanwhile.
  await holdBindings(tx)
  const older = await findOlder(tx, rows)
  const inserted = older.includes(true) ? [] : await tx.query(insertRequisites, { at: tx.now, by, rows })
  if (inserted.length < rows.length) {
    const added = new Set(inserted.map(({ id }) => id))
    const wrong = older.includes(true) ? older : rows.map(({ id }) => !added.has(id))
    const summary = 'A requisite with one of these numbers exists for its method and currency; none was added.'
    throw alreadyThere(wrong, summary, 'exists for its method and currency, or is there twice.')
  }
  await refuseOtherMode(tx, wanted)
  await raiseCatalogVersion(tx, 'requisites')
  return rows.map((row) => row.id)
}
