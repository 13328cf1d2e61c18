/** The content of a payment QR code (GOST R 56042-2014). Texts are as in the bank's records. */
export type BankTransfer = {
  readonly name: string
  readonly account: string
  readonly bankName: string
  readonly bic: string
  readonly correspondentAccount: string
  /** In kopecks, because the standard is for roubles only. */
  readonly sum: bigint
  readonly purpose: string
  readonly inn: string | null
  readonly kpp: string | null
}

/** Longest values that the standard allows, in characters (its table 3). */
export const longestValues = { name: 160, bankName: 45, purpose: 210 }

// A value must not contain the separator; some apps stop reading at a control character.
const clean = (value: string, length: number): string =>
  [...value.replace(/[|\p{Cc}]/gu, ' ').trim()].slice(0, length).join('')

/** The text of a payment QR code (GOST R 56042-2014, version 0001) in UTF-8, with the required fields first. */
export const bankTransferCode = (transfer: BankTransfer): string =>
  [
    'ST00012',
    `Name=${clean(transfer.name, longestValues.name)}`,
    `PersonalAcc=${transfer.account}`,
    `BankName=${clean(transfer.bankName, longestValues.bankName)}`,
    `BIC=${transfer.bic}`,
    `CorrespAcc=${transfer.correspondentAccount}`,
    `Sum=${transfer.sum}`,
    `Purpose=${clean(transfer.purpose, longestValues.purpose)}`,
    ...(transfer.inn === null ? [] : [`PayeeINN=${transfer.inn}`]),
    ...(transfer.kpp === null ? [] : [`KPP=${transfer.kpp}`]),
  ].join('|')
