/**
 * The transfer that has the money of another one as a sum, or as one of the parts. `how` says why it is the same, or
 * why that is not certain: something was decided about the sum, amounts or numbers of payments differ under one
 * reference, too little is known, or balances do not tell whether two statements overlap.
 */
export type OtherForm = {
  readonly id: string
  readonly isCertain: boolean
  readonly how: 'same' | 'decided' | 'contradicts' | 'unclear' | 'overlaps'
}

const words: Readonly<Record<OtherForm['how'], string>> = {
  same: 'has this money as the sum of several payments, or as one of those payments',
  decided: 'has this money as the sum of several payments, and was credited or decided about before they came',
  contradicts: 'is the same booking with another amount or other payments',
  overlaps: 'is a row like this one, and the balances of the two files do not tell whether they overlap',
  unclear: 'may have this money as the sum of several payments, or as one of those payments',
}

/** How a transfer has the money of another one in another form. */
export const describeOtherForm = ({ id, how }: OtherForm): string => `transfer ${id}, which ${words[how]}`
