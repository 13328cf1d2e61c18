import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { isIban } from 'bank-files/pure'
import { quoteCode, readCurrency, usdt } from '../values/currency.ts'
import { foldLookAlikes } from '../values/look-alikes.ts'
import { fitsBic } from './bank-details.ts'
import { invalidState, Refusal } from '../refusal.ts'
import { type Instant, hour } from '../time.ts'

/** Everything that differs by kind of destination. */
type KindRules = {
  readonly name: string
  /** The form of the address in words, after "must be". */
  readonly form: string
  readonly example: string
  /** The address in its only spelling, without what people write for the eye. */
  readonly spell: (typed: string) => string
  /** Whether form and check digits or checksum of a spelled address are right. */
  readonly fits: (address: string) => boolean
  /** The contract of USDT itself: money that is sent there is lost. */
  readonly contract?: string
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Base58Check: a byte 0x41, the 20 bytes of the account, and four bytes of the SHA-256 of their SHA-256. */
const isTron = (address: string): boolean => {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(address)) return false
  const value = [...address].reduce((sum, sign) => sum * 58n + BigInt(base58.indexOf(sign)), 0n)
  const hex = value.toString(16)
  const check = bytesToHex(sha256(sha256(hexToBytes(hex.slice(0, 42)))))
  return hex.length === 50 && hex.startsWith('41') && check.startsWith(hex.slice(42))
}

/** EIP-55: a letter is a capital where the digit of the Keccak-256 of the small letters is 8 or more. */
const isEthereum = (address: string): boolean => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return false
  const digits = address.slice(2).toLowerCase()
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  const spelled = [...digits].map((sign, index) =>
    Number.parseInt(hash[index] ?? '', 16) >= 8 ? sign.toUpperCase() : sign,
  )
  return address === `0x${spelled.join('')}`
}

/** An account at a Russian bank; correspondent accounts (301) belong to banks. */
const isRussianAccount = (address: string): boolean => {
  const [account = '', bic = '', ...more] = address.split('/')
  return more.length === 0 && !account.startsWith('301') && fitsBic(account, bic)
}

const trim = (typed: string): string => typed.trim()

const kinds = {
  tron: {
    name: 'USDT on TRON',
    form: 'an address of TRON with a right checksum: 34 characters that begin with T',
    example: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    spell: trim,
    fits: isTron,
    contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  },
  ethereum: {
    name: 'USDT on Ethereum',
    form: 'an address of Ethereum with a right checksum (EIP-55): 0x and 40 digits, whose capital and small letters are the checksum, as wallets show it',
    example: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    spell: trim,
    fits: isEthereum,
    contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
  iban: {
    name: 'IBAN',
    form: 'an IBAN with right check digits',
    example: 'DE89370400440532013000',
    spell: (typed) => typed.replaceAll(/\s/g, '').toUpperCase(),
    fits: isIban,
  },
  'ru-account': {
    name: 'account in Russia',
    form: 'the 20 digits of an account and the 9 digits of the BIC of its bank, which fit each other, with / between them',
    example: '40702810200000000001/044525225',
    spell: (typed) => typed.trim().replace(/[\s/]+/, '/'),
    fits: isRussianAccount,
  },
} as const satisfies Readonly<Record<string, KindRules>>

/** The kinds of destinations (docs/domain.md §8.5). */
export type DestinationKind = keyof typeof kinds

export const destinationRules: Readonly<Record<DestinationKind, KindRules>> = kinds

export const destinationKinds = Object.keys(kinds) as readonly DestinationKind[]

/**
 * The address in its only spelling, or what is wrong with it, after its field's name. An address without a checksum, such as one
 * of Ethereum in small letters, is refused: nothing would show a typing error.
 */
export const readAddress = (
  kind: DestinationKind,
  typed: string,
): { readonly address: string } | { readonly fault: string } => {
  const { form, spell, fits, contract } = destinationRules[kind]
  const address = spell(typed)
  if (address === contract) return { fault: 'is the contract of USDT: money that is sent there is lost.' }
  if (kind === 'ethereum' && /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(address) && !fits(address))
    return { fault: `has no checksum in letters of one size: it must be ${form}.` }
  return fits(address) ? { address } : { fault: `must be ${form}.` }
}

/** A label as it is kept: in one form of Unicode, with single spaces. */
export const spellLabel = (typed: string): string => typed.normalize('NFKC').trim().replaceAll(/\s+/g, ' ')

type Named = Pick<Destination, 'label' | 'address'>

/** Whether people could take one destination for another one: by a label that looks alike, or has the other's address. */
export const isMistakable = (one: Named, other: Named): boolean => {
  const fold = (text: string): string => foldLookAlikes(spellLabel(text)).replaceAll(/[^\p{L}\p{N}]/gu, '')
  const [label, otherLabel, otherAddress] = [fold(one.label), fold(other.label), fold(other.address)]
  return label === otherLabel || label.includes(otherAddress) || otherLabel.includes(fold(one.address))
}

/** Where settlements of a merchant may be sent. */
export type Destination = {
  readonly merchantId: string
  readonly id: string
  readonly kind: DestinationKind
  readonly address: string
  /** What people call it. */
  readonly label: string
  /** The merchant or its member that asked for it; null if an operator proposed it. */
  readonly requestedBy: string | null
  /** Null until an operator takes up what a merchant asks for. */
  readonly proposedBy: string | null
  readonly proposedAt: Instant
  readonly approvedBy: string | null
  /** When settlements may first be sent there. */
  readonly readyAt: Instant | null
  readonly retiredBy: string | null
  readonly retiredAt: Instant | null
}

export const destinationStatuses = ['requested', 'proposed', 'cooling', 'ready', 'retired'] as const
export type DestinationStatus = (typeof destinationStatuses)[number]

/** The status of a destination at a time. */
export const destinationStatus = (
  { proposedBy, readyAt, retiredAt }: Pick<Destination, 'proposedBy' | 'readyAt' | 'retiredAt'>,
  now: Instant,
): DestinationStatus => {
  if (retiredAt !== null) return 'retired'
  if (readyAt === null) return proposedBy === null ? 'requested' : 'proposed'
  return readyAt > now ? 'cooling' : 'ready'
}

/** A destination in one line, as settlements keep it. */
export const printDestination = ({ kind, address, label }: Pick<Destination, 'kind' | 'address' | 'label'>): string =>
  `${label}: ${address} (${destinationRules[kind].name})`

/** The refusal `invalid_state` of a settlement to a destination that is not ready; `undefined` if it is. */
export const refuseUnready = (destination: Destination, now: Instant): Refusal | undefined => {
  const { label, readyAt } = destination
  const reasons = {
    requested: 'is not approved yet',
    proposed: 'is not approved yet',
    cooling: `was approved, and may be used from ${new Date(readyAt ?? now).toISOString()} on`,
    retired: 'is retired',
    ready: undefined,
  }
  const reason = reasons[destinationStatus(destination, now)]
  return reason === undefined ? undefined : invalidState(`The destination ${label} ${reason}.`)
}

/**
 * The refusal `invalid_state` of a settlement in a currency that does not go to a destination: one in a currency of
 * banks goes to an account, which may not be one in another. The operator may have exchanged USDT.
 */
export const refuseOtherCurrency = ({ kind, address, label }: Destination, currency: string): Refusal | undefined => {
  if (currency === usdt) return undefined
  const own = kind === 'ru-account' ? readCurrency(address.slice(5, 8)) : currency
  if (destinationRules[kind].contract === undefined && own === currency) return undefined
  return invalidState(`The destination ${label} is no account in ${quoteCode(currency)}.`)
}

/** Who approves a destination, whether its author may, and how long it then waits. */
export type DestinationApproval = {
  readonly actor: string
  readonly mayAlone: boolean
  readonly coolingHours: number
}

/**
 * The approved destination; unchanged if the same operator has approved it. Whoever approves what a merchant asks for is
 * its author: if another operator must approve it, too, it becomes a proposal, because a merchant is no second person.
 * Refuses `invalid_state`, and `second_person_required` if its author must not approve it alone.
 */
export const approvedDestination = (
  destination: Destination,
  { actor, mayAlone, coolingHours }: DestinationApproval,
  now: Instant,
): Destination | Refusal => {
  const { label, proposedBy, approvedBy, retiredAt } = destination
  if (retiredAt !== null) return invalidState(`The destination ${label} is retired.`)
  if (approvedBy === actor) return destination
  if (approvedBy !== null) return invalidState(`The destination ${label} is already approved.`)
  if (proposedBy === null && !mayAlone) return { ...destination, proposedBy: actor }
  if (actor === proposedBy && !mayAlone)
    return new Refusal('second_person_required', 'A destination must be approved by an operator other than its author.')
  return { ...destination, proposedBy: proposedBy ?? actor, approvedBy: actor, readyAt: now + coolingHours * hour }
}
