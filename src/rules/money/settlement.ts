import type { MerchantSettings } from '../merchants/merchant.ts'
import { currencyDecimals, quoteCode, showAmount } from '../values/currency.ts'
import { account, type Posting, posting } from './ledger.ts'
import { invalidState, Refusal } from '../refusal.ts'
import { day, type Instant, windowAround } from '../time.ts'

/** Statuses of a settlement (docs/domain.md §8.5). */
export const settlementStatuses = ['requested', 'draft', 'approved', 'paid', 'failed', 'canceled'] as const
export type SettlementStatus = (typeof settlementStatuses)[number]

/** Statuses in which a settlement holds its amount. */
export const holdingStatuses: readonly SettlementStatus[] = ['requested', 'draft', 'approved']

/** A part of a merchant's balance that the operator pays out. */
export type Settlement = {
  readonly merchantId: string
  readonly id: string
  /** Its author's reference for it; the same reference always means the same settlement. */
  readonly reference: string
  readonly currency: string
  /** In minor units. */
  readonly amount: bigint
  /** Where the money goes: the destination in words, as it was when the settlement was drafted. */
  readonly destination: string
  /** Null if it was drafted before there were destinations. */
  readonly destinationId: string | null
  readonly status: SettlementStatus
  /** Whether another operator than its author must approve it. */
  readonly secondPerson: boolean
  readonly sequence: number
  /** The merchant, its member or its schedule that asked for it; null if an operator drafted it. */
  readonly requestedBy: string | null
  /** Null until an operator takes up what a merchant asks for. */
  readonly draftedBy: string | null
  readonly approvedBy: string | null
  /** The identifier of the payout at the place where it was made. */
  readonly externalReference: string | null
  /** Whether outgoing money of a bank has paid it, and no operator said so. */
  readonly isProven: boolean
  readonly failure: string | null
  /** Who would fail an approved one that took two people; another operator must, too. */
  readonly failingBy: string | null
  readonly createdAt: Instant
  readonly changedAt: Instant
}

export type SettlementStep =
  | { readonly step: 'approve'; readonly actor: string }
  | { readonly step: 'cancel'; readonly actor: string }
  | {
      readonly step: 'pay'
      readonly actor: string
      readonly externalReference: string
      /** The bank has reported it. */
      readonly isProven?: true
    }
  | { readonly step: 'unprove'; readonly actor: string }
  | { readonly step: 'fail'; readonly actor: string; readonly failure: string }

type StepName = SettlementStep['step']

/** A settlement's movements of a merchant's money, as debit and credit account. */
export const settlementMovements = {
  hold: [account.available, account.held],
  payout: [account.held, account.paidOut],
  /** The reverse of a payout. */
  unpaid: [account.paidOut, account.held],
  release: [account.held, account.available],
} as const

/** The only allowed changes of a settlement, each with its movement of money; it holds its amount from the beginning. */
export const settlementTransitions: readonly {
  readonly step: StepName | 'draft'
  readonly from: readonly SettlementStatus[]
  readonly to: SettlementStatus
  readonly posts: keyof typeof settlementMovements | null
}[] = [
  // By an operator who must not approve alone what a merchant asks for.
  { step: 'draft', from: ['requested'], to: 'draft', posts: null },
  { step: 'approve', from: ['requested', 'draft'], to: 'approved', posts: null },
  { step: 'pay', from: ['approved'], to: 'paid', posts: 'payout' },
  // The outgoing money that paid it was unbooked.
  { step: 'unprove', from: ['paid'], to: 'approved', posts: 'unpaid' },
  { step: 'fail', from: ['requested', 'draft', 'approved'], to: 'failed', posts: 'release' },
  { step: 'cancel', from: ['requested', 'draft'], to: 'canceled', posts: 'release' },
]

/** The posting of a movement of a settlement's whole amount. */
export const postSettlement = (
  settlement: Pick<Settlement, 'merchantId' | 'id' | 'currency' | 'amount'>,
  kind: keyof typeof settlementMovements,
): Posting => {
  const { merchantId, id: documentId } = settlement
  const [debit, credit] = settlementMovements[kind]
  return posting(kind === 'unpaid' ? 'payout' : kind, [debit(merchantId), credit(merchantId)], settlement, {
    merchantId,
    documentId,
  })
}

/** When what one person does alone counts as one sum, so that nobody evades the bound by splitting. */
export const secondPersonWindow = (now: Instant) => windowAround(now, day)

/**
 * Up to how many millionths of USDT in 24 hours one person may settle or write off alone, and whether two people move
 * money: if so, what has no price takes both.
 */
export type AloneBound = { readonly above: bigint; readonly hasTwo: boolean }

/** The sum up to which an author may approve settlements alone, and what it recently drafted or approved alone. */
export type SecondPersonBound = { readonly above: bigint; readonly lately: bigint }

/**
 * Money that stands on the word of one operator alone, or of a phone, and up to how many millionths of USDT in 24 hours it
 * may credit; `because` says why it may not, if that is not the bound. `onRequisites` are further bounds, by requisite.
 * `doubt` says why a second operator who agreed may be the same person.
 */
export type LoneReport = {
  readonly by: string
  readonly above: bigint
  readonly because?: string
  readonly doubt?: string
  readonly onRequisites?: ReadonlyMap<string, bigint>
}

const phonePrefix = 'phone:'

/** A phone as the source of transfers, and as their lone reporter. */
export const phoneReporter = (phoneId: string): string => `${phonePrefix}${phoneId}`

/** Whether a lone reporter is a phone, which decides nothing. */
export const isPhoneReporter = (reportedBy: string): boolean => reportedBy.startsWith(phonePrefix)

/** Whether another operator than its author must approve an amount. */
export const needsSecondPerson = (amount: bigint, { above, lately }: SecondPersonBound): boolean =>
  amount + lately > above

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/**
 * What a new settlement takes: the wanted amount, or all that may be settled, which is what is available less what its
 * merchant's terms let wait for a proof. Refuses `balance_insufficient`.
 */
export const settledAmount = (
  wanted: bigint | null,
  available: bigint,
  waiting: bigint,
  currency: string,
): bigint | Refusal => {
  const most = available > waiting ? available - waiting : 0n
  const amount = wanted ?? most
  if (amount > 0n && amount <= most) return amount
  const isCovered = available > 0n && amount <= available && waiting > 0n
  return new Refusal(
    'balance_insufficient',
    isCovered
      ? `${showAmount(least(waiting, available), currency)} of the available balance cannot be settled yet: its payments are under dispute, or no statement or feed has confirmed their money. At most ${showAmount(most, currency)} can be settled now.`
      : "The merchant's available balance does not cover this settlement.",
  )
}

/**
 * How much of a settlement under way rests on unproven money: what is neither proven nor left on the merchant's available
 * balance, because proven money is settled first.
 */
export const unprovenShare = (
  { status, amount }: Pick<Settlement, 'status' | 'amount'>,
  unproven: { readonly amount: bigint; readonly available: bigint } | undefined,
): bigint => {
  if (unproven === undefined || !holdingStatuses.includes(status)) return 0n
  const left = unproven.available > 0n ? unproven.available : 0n
  return unproven.amount > left ? least(amount, unproven.amount - left) : 0n
}

/** Refuses `balance_insufficient` to approve a settlement whose merchant has lost money since it was begun. */
export const refuseUncovered = (available: bigint, waiting: bigint, currency: string): Refusal | undefined => {
  if (available >= waiting) return undefined
  return new Refusal(
    'balance_insufficient',
    available < 0n
      ? `The merchant now owes ${showAmount(-available, currency)}, so this cannot be paid out. Fail it; the merchant may ask again.`
      : `Since then, disputes and unproven money tie up ${showAmount(waiting - available, currency)} more than the merchant has left. Approve it later, or fail it.`,
  )
}

/** How the references of settlements begin that a schedule asks for, and no others. */
export const scheduledReference = 'scheduled-'

/** Most settlements of a merchant that may wait for an operator. */
const mostRequests = 20

/**
 * Refuses `invalid_state` for a settlement that a merchant may not ask for: less than its least, with others of 24 hours
 * (`lately`) more than its most, in another currency than that of these bounds, or while too many wait.
 */
export const refuseRequest = (
  { currency, amount }: Pick<Settlement, 'currency' | 'amount'>,
  lately: { readonly open: number; readonly amount: bigint },
  {
    quoteCurrency,
    minSettlement,
    maxSettlementPerDay,
  }: Pick<MerchantSettings, 'quoteCurrency' | 'minSettlement' | 'maxSettlementPerDay'>,
): Refusal | undefined => {
  if (lately.open >= mostRequests) return invalidState(`${mostRequests} settlements already wait for the operator.`)
  if (minSettlement === null && maxSettlementPerDay === null) return undefined
  if (currency !== quoteCurrency)
    return invalidState(`Only a balance in ${quoteCode(quoteCurrency)} can be asked for: ask the operator.`)
  const minor = (whole: number): bigint => BigInt(whole) * 10n ** BigInt(currencyDecimals(currency))
  if (minSettlement !== null && amount < minor(minSettlement))
    return invalidState(`The least settlement is ${showAmount(minor(minSettlement), currency)}.`)
  if (maxSettlementPerDay === null || amount + lately.amount <= minor(maxSettlementPerDay)) return undefined
  return invalidState(
    `Within 24 hours at most ${showAmount(minor(maxSettlementPerDay), currency)} can be asked for, and ${showAmount(lately.amount, currency)} were.`,
  )
}

/** A new settlement, whose amount must be held; see `postSettlement`. */
export const newSettlement = (
  wanted: Pick<
    Settlement,
    | 'merchantId'
    | 'id'
    | 'reference'
    | 'currency'
    | 'amount'
    | 'destination'
    | 'destinationId'
    | 'requestedBy'
    | 'draftedBy'
    | 'secondPerson'
  >,
  now: Instant,
): Settlement => ({
  ...wanted,
  status: wanted.draftedBy === null ? 'requested' : 'draft',
  sequence: 1,
  approvedBy: null,
  externalReference: null,
  isProven: false,
  failure: null,
  failingBy: null,
  createdAt: now,
  changedAt: now,
})

const wasTaken = (settlement: Settlement, step: SettlementStep): boolean => {
  if (step.step === 'approve') return settlement.approvedBy === step.actor && settlement.status !== 'failed'
  if (step.step === 'pay') return settlement.externalReference === step.externalReference
  if (step.step === 'cancel') return settlement.status === 'canceled'
  if (step.step === 'unprove') return settlement.status !== 'paid' || !settlement.isProven
  return settlement.failure === step.failure
}

/** Takes a transition that the table allows from the status of a settlement; undefined if it allows none. */
const transitionOf = ({ status }: Settlement, step: StepName | 'draft') =>
  settlementTransitions.find((each) => each.step === step && each.from.includes(status))

/**
 * The settlement after a step and its posting; unchanged and without posting if the step was taken before. Whoever
 * approves what a merchant asks for is its author: if another operator must approve it, too, it becomes a draft. Refuses
 * `invalid_state` (also if a merchant cancels what an operator drafted), and `second_person_required` if its author
 * approves what another operator must.
 */
export const takeSettlementStep = (
  settlement: Settlement,
  step: SettlementStep,
  now: Instant,
): { readonly settlement: Settlement; readonly posting: Posting | null } | Refusal => {
  if (wasTaken(settlement, step)) return { settlement, posting: null }
  const { status, secondPerson } = settlement
  const isTakenUp = status === 'requested' && step.step === 'approve'
  const allowed = transitionOf(settlement, isTakenUp && secondPerson ? 'draft' : step.step)
  const isOwn = step.step !== 'cancel' || settlement.requestedBy !== null
  if (step.step === 'pay' && (status === 'requested' || status === 'draft'))
    return invalidState('The settlement must be approved before it is paid.')
  if (!allowed || !isOwn) return invalidState(`The settlement is ${status}; it is too late to ${step.step} it.`)
  if (step.step === 'approve' && !isTakenUp && secondPerson && step.actor === settlement.draftedBy) {
    return new Refusal(
      'second_person_required',
      'A settlement of this amount, alone or with the others that its author approved within 24 hours, must be approved by another operator.',
    )
  }
  const after: Settlement = {
    ...settlement,
    status: allowed.to,
    sequence: settlement.sequence + 1,
    changedAt: Math.max(now, settlement.changedAt),
    draftedBy: isTakenUp ? step.actor : settlement.draftedBy,
    approvedBy: step.step === 'approve' && allowed.to === 'approved' ? step.actor : settlement.approvedBy,
    isProven: step.step === 'pay' && step.isProven === true,
    externalReference: step.step === 'pay' ? step.externalReference : null,
    failure: step.step === 'fail' ? step.failure : null,
    failingBy: null,
  }
  return { settlement: after, posting: allowed.posts === null ? null : postSettlement(after, allowed.posts) }
}
