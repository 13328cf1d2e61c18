/** What moved the balance of a merchant, by the kind of the entry. */
export const entryWords: Readonly<Record<string, string>> = {
  credit: 'Payment credited',
  assign: 'Money assigned',
  reverse: 'Taken back',
  hold: 'Held for a settlement',
  release: 'Released again',
  adjust: 'Adjustment',
}
