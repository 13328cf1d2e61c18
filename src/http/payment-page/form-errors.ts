/** The payer's details as they were filled in, and what is wrong with them. */
export type DetailsErrors = {
  readonly phone: string
  readonly bank: string
  readonly country: string
  readonly method: string
  /** The search for a bank, and whether several match it. */
  readonly find: string
  readonly isAmbiguous: boolean
  readonly isPhoneWrong: boolean
  readonly name: string
  readonly isNameWrong: boolean
}

/** A field of the claim's form. */
export type ClaimField = 'amount' | 'paidAt' | 'receipt'

/** Why a file is not accepted as a receipt; each has a text that says what to do. */
export type ReceiptError = 'missing' | 'wrongType' | 'tooLarge'

/** A claim as it was filled in, and its wrong fields. */
export type ClaimErrors = {
  readonly amount: string
  readonly paidAt: string
  readonly fields: readonly ClaimField[]
  readonly receipt?: ReceiptError
}

/** What is wrong with a form of the page. */
export type FormErrors = {
  readonly details?: DetailsErrors
  readonly claim?: ClaimErrors
  readonly receipt?: ReceiptError
  /** The account for a refund as it was written; it is no account. */
  readonly refund?: string
  /** The other method has no free requisite. */
  readonly method?: boolean
}
