/**
 * What may wait for an operator, the most urgent first: in words, and the command and the console's page that handle
 * it. The query is in `attention/store.ts`.
 */
export const waitingKinds = {
  'stale-rates': { words: 'rates too old for new payments', command: 'payin rates list', page: '/rates' },
  'rate-proposals': { words: 'rates for a second operator to agree to', command: 'payin rates list', page: '/rates' },
  disputes: { words: 'disputes to decide', command: 'payin disputes list --state undecided', page: '/disputes' },
  corrections: {
    words: 'corrections for a second operator to confirm',
    command: 'payin disputes list --state undecided',
    page: '/disputes',
  },
  transfers: { words: 'transfers in the inbox', command: 'payin transfers list --unmatched', page: '/matching' },
  'possible-duplicates': {
    words: 'possible duplicates in the inbox',
    command: 'payin transfers list --unmatched',
    page: '/matching',
    search: { unusual: 'duplicate' },
  },
  reversals: { words: 'reversals of unclear transfers', command: 'payin reversals list', page: '/reversals' },
  'crediting-held': {
    words: 'requisites whose money only persons credit',
    command: 'payin requisites list',
    page: '/requisites',
  },
  statements: {
    words: 'statements that were read but not imported',
    command: 'payin statements list',
    page: '/statements',
  },
  'phone-messages': {
    words: "banks' messages on phones that wait",
    command: 'payin phones messages --open',
    page: '/phones/messages',
    search: { open: 'true' },
  },
  'paused-requisites': {
    words: 'requisites paused by the service',
    command: 'payin requisites pauses --open',
    page: '/requisites',
    search: { status: 'paused' },
  },
  'troubled-endpoints': {
    words: 'endpoints that are failing or disabled',
    command: 'payin endpoints troubled',
    page: '/endpoints',
  },
  overpayments: { words: 'overpayments owed to payers', command: 'payin overpayments list', page: '/overpayments' },
  outgoing: {
    words: 'outgoing transfers nobody has explained',
    command: 'payin outgoing list --state unexplained',
    page: '/outgoing',
    search: { state: 'unexplained' },
  },
  unproven: {
    words: 'transfers credited on messages, which no bank has proven yet',
    command: 'payin transfers list --unproven',
    page: '/statements',
  },
  'settlements-requested': {
    words: 'settlements that merchants ask for',
    command: 'payin settlements list --status requested',
    page: '/settlements',
    search: { status: 'requested' },
  },
  'settlements-to-approve': {
    words: 'settlements to approve',
    command: 'payin settlements list --status draft',
    page: '/settlements',
    search: { status: 'draft' },
  },
  'settlements-to-pay': {
    words: 'settlements to pay',
    command: 'payin settlements list --status approved',
    page: '/settlements',
    search: { status: 'approved' },
  },
  'refunds-to-approve': {
    words: 'refunds to approve',
    command: 'payin refunds list --status requested',
    page: '/refunds',
    search: { status: 'requested' },
  },
  'refunds-to-send': {
    words: 'refunds to send',
    command: 'payin refunds list --status approved',
    page: '/refunds',
    search: { status: 'approved' },
  },
  'refunds-to-fail': {
    words: 'sent refunds for a second operator to give up',
    command: 'payin refunds list --status sent',
    page: '/refunds',
    search: { status: 'sent' },
  },
  'destinations-to-approve': {
    words: 'destinations to approve',
    command: 'payin destinations list',
  },
  adjustments: {
    words: 'adjustments for a second operator to post',
    command: 'payin adjustments list --status draft',
  },
  unacknowledged: {
    words: 'payments not acknowledged by their merchants',
    command: 'payin payments list --unacknowledged',
    page: '/payments',
    search: { acknowledged: 'false' },
  },
} as const
export type WaitingKind = keyof typeof waitingKinds
export const waitingKindNames = Object.keys(waitingKinds) as WaitingKind[]

/** Also what waits only for payers: payments that have received a part. */
export type MeasuredKind = WaitingKind | 'part-paid'

/** Money whose age is reported until somebody decides about it: kinds of what waits. */
export const agedKinds = ['outgoing', 'overpayments', 'transfers'] as const
export type AgedKind = (typeof agedKinds)[number]

/** How long ago a bank booked money: within a day, a week, a month (of 30 days), or longer ago. */
export const ages = ['day', 'week', 'month', 'older'] as const
export type Age = (typeof ages)[number]
