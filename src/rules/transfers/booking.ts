/** The transfer that has another one's money as a sum or as a part; `how`: why that is certain, or not. */
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
