import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../catalog.ts'
import { accountDigits, isCardNumber } from '../../rules/values/account-number.ts'
import { maskNumber } from '../../rules/values/masking.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import { isBlocking, type PayerKind, type RiskBlock } from '../../rules/merchants/risk.ts'
import { findMerchant } from '../merchants/read.ts'
import type { SealedTable } from '../../secrets/vault.ts'
import { payerIndexes, payerIndex } from './identify-payers.ts'
import { insertBlock, listBlocksOf, markBlockEnded } from './store.ts'

/** A payer to block; `value` is the merchant's id of its user, or a number in any spelling. */
export type NewBlock = Pick<RiskBlock, 'kind' | 'merchantId' | 'reason' | 'endsAt' | 'createdBy'> & {
  readonly value: string
}

const forms: Record<PayerKind, { readonly fits: (value: string) => boolean; readonly form: string }> = {
  user: { fits: (value) => value.length > 0, form: "the merchant's id of its user" },
  phone: {
    fits: (value) => /^[1-9]\d{7,14}$/.test(accountDigits(value)),
    form: '8 to 15 digits with the country code',
  },
  account: { fits: (value) => /^\d{5,34}$/.test(accountDigits(value)), form: 'an account number of 5 to 34 digits' },
  card: { fits: (value) => isCardNumber(accountDigits(value)), form: 'a card number with a right check digit' },
}

/** A number shows its last digits; for a user's id the first two characters are enough for the operator. */
const mask = (kind: PayerKind, value: string): string =>
  kind === 'user' ? `${[...value].slice(0, 2).join('')}••••` : maskNumber(value)

/**
 * Blocks a payer at one merchant or, with `null`, at all of them. Refuses `validation_failed`, `resource_not_found`,
 * and `already_exists` if the payer is already blocked.
 */
export const addBlock = async (tx: Tx, wanted: NewBlock): Promise<RiskBlock> => {
  const { value, ...asked } = wanted
  const { kind, merchantId, endsAt } = asked
  if (merchantId !== null) await findMerchant(tx, merchantId)
  if (kind === 'user' && merchantId === null) {
    throw refuseField('merchantId', 'is required with kind user: it names the user.')
  }
  if (!forms[kind].fits(value)) throw refuseField('value', `must be ${forms[kind].form}.`)
  if (endsAt !== null && endsAt <= tx.now) throw refuseField('endsAt', 'must be in the future.')
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'risk')
  const indexes = payerIndexes(tx.vault, kind, merchantId, value)
  const same = (await tx.query(listBlocksOf, { payerIndexes: indexes })).find(
    (block) => block.merchantId === merchantId && isBlocking(block, merchantId ?? '', tx.now),
  )
  if (same) throw new Refusal('already_exists', `This payer is blocked already, by ${same.id}.`)
  const id = tx.newId()
  const block: RiskBlock = {
    ...asked,
    id,
    payerIndex: indexes[0] ?? '',
    valueMasked: mask(kind, value),
    createdAt: tx.now,
    endedAt: null,
  }
  const valueSealed = tx.vault.encrypt(value, { table: 'risk_blocks', column: 'value_sealed', row: id })
  await tx.query(insertBlock, { ...block, valueSealed })
  return block
}

/** Lifts a block. Refuses `resource_not_found`, also if it was lifted before. */
export const endBlock = async (tx: Tx, id: string): Promise<RiskBlock> => {
  const [block] = await tx.query(markBlockEnded, { id, now: tx.now })
  if (!block) throw new Refusal('resource_not_found', 'There is no such block, or it was lifted before.')
  await raiseCatalogVersion(tx, 'risk')
  return block
}

export const sealedBlocks: SealedTable = {
  table: 'risk_blocks',
  key: { id: 'uuid' },
  also: ['kind', 'merchant_id'],
  columns: [
    {
      name: 'value_sealed',
      index: {
        name: 'payer_index',
        of: (vault, value, row) =>
          payerIndex(vault, row['kind'] as PayerKind, row['merchant_id'] ?? null, value.toString()),
      },
    },
  ],
}
