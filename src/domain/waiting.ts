/** What may wait for an operator, the most urgent first. */
export const waitingKinds = [
  'stale-rates',
  'disputes',
  'corrections',
  'transfers',
  'possible-duplicates',
  'reversals',
  'crediting-held',
  'statements',
  'paused-requisites',
  'troubled-endpoints',
  'overpayments',
  'outgoing',
  'settlements-to-approve',
  'settlements-to-pay',
  'adjustments',
  'unacknowledged',
] as const
export type WaitingKind = (typeof waitingKinds)[number]
