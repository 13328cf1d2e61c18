import type { IconName } from '../parts/icon.tsx'

/** Paths of the pages in the navigation. */
export type PagePath =
  | '/'
  | '/payments'
  | '/matching'
  | '/statements'
  | '/phones'
  | '/reconciliation'
  | '/outgoing'
  | '/ledger'
  | '/settlements'
  | '/refunds'
  | '/requisites'
  | '/disputes'
  | '/overpayments'
  | '/reversals'
  | '/claims'
  | '/account'
  | '/alerts'
  | '/risk'
  | '/audit'
  | '/health'
  | '/merchants'
  | '/endpoints'
  | '/rates'
  | '/team'

/** A line of the navigation. */
export type Area = { readonly title: string; readonly pages: readonly Page[] }
type Page = {
  readonly path: PagePath | PortalPath
  readonly name: string
  readonly icon: IconName
  readonly keys: string
}

/** The pages by areas, each with the keys that open it. */
export const areas: readonly Area[] = [
  { title: 'Today', pages: [{ path: '/', name: 'Overview', icon: 'overview', keys: 'g o' }] },
  {
    title: 'Money in',
    pages: [
      { path: '/matching', name: 'Matching', icon: 'matching', keys: 'g m' },
      { path: '/statements', name: 'Statements', icon: 'statements', keys: 'g s' },
      { path: '/phones', name: 'Phones', icon: 'phone', keys: 'g f' },
      { path: '/payments', name: 'Payments', icon: 'payments', keys: 'g p' },
    ],
  },
  {
    title: 'Books',
    pages: [
      { path: '/reconciliation', name: 'Reconciliation', icon: 'scales', keys: 'g c' },
      { path: '/outgoing', name: 'Outgoing money', icon: 'leaving', keys: 'g w' },
      { path: '/ledger', name: 'Ledger', icon: 'ledger', keys: 'g l' },
      { path: '/settlements', name: 'Settlements', icon: 'settlements', keys: 'g e' },
      { path: '/refunds', name: 'Refunds', icon: 'undo', keys: 'g n' },
    ],
  },
  {
    title: 'Cases',
    pages: [
      { path: '/disputes', name: 'Disputes', icon: 'dispute', keys: 'g d' },
      { path: '/overpayments', name: 'Overpayments', icon: 'plus', keys: 'g v' },
      { path: '/reversals', name: 'Reversals', icon: 'undo', keys: 'g b' },
      { path: '/claims', name: 'Claims', icon: 'claim', keys: 'g y' },
      { path: '/risk', name: 'Risk', icon: 'shield', keys: 'g k' },
    ],
  },
  {
    title: 'Accounts',
    pages: [
      { path: '/requisites', name: 'Requisites', icon: 'accounts', keys: 'g q' },
      { path: '/merchants', name: 'Merchants', icon: 'shop', keys: 'g i' },
      { path: '/rates', name: 'Rates and limits', icon: 'rates', keys: 'g r' },
    ],
  },
  {
    title: 'This installation',
    pages: [
      { path: '/alerts', name: 'Alerts', icon: 'bell', keys: 'g a' },
      { path: '/health', name: 'Health', icon: 'pulse', keys: 'g h' },
      { path: '/audit', name: 'Audit', icon: 'audit', keys: 'g u' },
      { path: '/team', name: 'Team', icon: 'person', keys: 'g t' },
      { path: '/account', name: 'Your account', icon: 'key', keys: 'g z' },
    ],
  },
]

/** Paths of the pages of members of a merchant. */
type PortalPath =
  | '/portal'
  | '/portal/payments'
  | '/portal/links'
  | '/portal/notifications'
  | '/portal/requests'
  | '/portal/balance'
  | '/portal/refunds'
  | '/portal/settlements'

/** The pages of members of a merchant. */
export const portalAreas: readonly Area[] = [
  { title: 'Today', pages: [{ path: '/portal', name: 'Overview', icon: 'overview', keys: 'g o' }] },
  {
    title: 'Payments',
    pages: [
      { path: '/portal/payments', name: 'Payments', icon: 'payments', keys: 'g p' },
      { path: '/portal/links', name: 'Payment links', icon: 'link', keys: 'g l' },
      { path: '/portal/notifications', name: 'Notifications', icon: 'bell', keys: 'g n' },
      { path: '/portal/requests', name: 'Requests', icon: 'requests', keys: 'g r' },
    ],
  },
  {
    title: 'Money',
    pages: [
      { path: '/portal/balance', name: 'Balance', icon: 'balance', keys: 'g b' },
      { path: '/portal/refunds', name: 'Refunds', icon: 'undo', keys: 'g e' },
      { path: '/portal/settlements', name: 'Settlements', icon: 'settlements', keys: 'g s' },
    ],
  },
  { title: 'You', pages: [{ path: '/account', name: 'Your account', icon: 'key', keys: 'g z' }] },
]
