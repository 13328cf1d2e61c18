import type { ListedTransfer } from '../../../../src/operations/transfers.ts'

type Money = Pick<ListedTransfer, 'amount'> & {
  readonly parts: readonly Pick<ListedTransfer['parts'][number], 'kind' | 'amount'>[]
}

/** What waits of a transfer: all of it, or what a split has left. */
export const waitingOf = ({ amount, parts }: Money): number =>
  parts.length > 1 ? (parts.find(({ kind }) => kind === 'suspense')?.amount ?? amount) : amount
