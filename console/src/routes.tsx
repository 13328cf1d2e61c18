import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { NotFound } from './pages/not-found.tsx'
import { PageError } from './pages/page-error.tsx'
import { Shell } from './shell/shell.tsx'

/** Filters of a page, as its address has them. */
export type Search = Readonly<Record<string, string | undefined>>

const readSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))
const writeSearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const query = new URLSearchParams(given).toString()
  return query === '' ? '' : `?${query}`
}

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageError })
/** Pages for anybody who is signed in. */
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Shell })
const validateSearch = (search: Record<string, unknown>): Search => search as Search

type Module = Readonly<Record<string, () => ReactNode>>

/** A page at a path: the component of that name in a module, which is loaded when the page is first opened. */
const page = <const Path extends string>(path: Path, load: () => Promise<object>, name: string) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    validateSearch,
    component: lazyRouteComponent(load as () => Promise<Module>, name),
  })

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./pages/sign-in/invitation.tsx'), 'Invitation'),
  }),
  inside.addChildren([
    page('/', () => import('./pages/overview/overview.tsx'), 'Overview'),
    page('/statements', () => import('./pages/statements/statements.tsx'), 'Statements'),
    page('/statements/$id', () => import('./pages/statements/statement-page.tsx'), 'StatementPage'),
    page('/sources', () => import('./pages/statements/sources.tsx'), 'Sources'),
    page('/phones', () => import('./pages/phones/phones.tsx'), 'Phones'),
    page('/phones/messages', () => import('./pages/phones/messages.tsx'), 'Messages'),
    page('/phones/templates', () => import('./pages/phones/templates.tsx'), 'Templates'),
    page('/reconciliation', () => import('./pages/reconciliation/reconciliation.tsx'), 'Reconciliation'),
    page('/outgoing', () => import('./pages/reconciliation/outgoing.tsx'), 'Outgoing'),
    page('/outgoing/rules', () => import('./pages/reconciliation/outgoing-rules.tsx'), 'OutgoingRules'),
    page('/settlements', () => import('./pages/settlements/settlements.tsx'), 'Settlements'),
    page('/refunds', () => import('./pages/refunds/refunds.tsx'), 'Refunds'),
    page('/ledger', () => import('./pages/ledger/accounts.tsx'), 'Accounts'),
    page('/ledger/journal', () => import('./pages/ledger/journal.tsx'), 'Journal'),
    page('/ledger/trial-balance', () => import('./pages/ledger/trial-balance.tsx'), 'TrialBalance'),
    page('/matching', () => import('./pages/matching/matching.tsx'), 'Matching'),
    page('/payments', () => import('./pages/payments/payments.tsx'), 'Payments'),
    page('/disputes', () => import('./pages/disputes/disputes.tsx'), 'Disputes'),
    page('/requisites', () => import('./pages/requisites/requisites.tsx'), 'Requisites'),
    page('/requisites/explain', () => import('./pages/requisites/explain.tsx'), 'Explain'),
    page('/overpayments', () => import('./pages/owed/overpayments.tsx'), 'Overpayments'),
    page('/reversals', () => import('./pages/owed/reversals.tsx'), 'Reversals'),
    page('/claims', () => import('./pages/owed/claims.tsx'), 'Claims'),
    page('/account', () => import('./pages/account/account.tsx'), 'Account'),
    page('/alerts', () => import('./pages/alerts/alerts.tsx'), 'Alerts'),
    page('/alerts/rules', () => import('./pages/alerts/alert-rules.tsx'), 'AlertRules'),
    page('/alerts/channels', () => import('./pages/alerts/channels.tsx'), 'AlertChannels'),
    page('/risk', () => import('./pages/risk/risk-decisions.tsx'), 'RiskDecisions'),
    page('/risk/blocks', () => import('./pages/risk/risk-blocks.tsx'), 'RiskBlocks'),
    page('/risk/rules', () => import('./pages/risk/risk-rules.tsx'), 'RiskRules'),
    page('/audit', () => import('./pages/audit/audit.tsx'), 'Audit'),
    page('/health', () => import('./pages/health/health.tsx'), 'Health'),
    page('/rates', () => import('./pages/rates/rates.tsx'), 'Rates'),
    page('/endpoints', () => import('./pages/merchants/troubled-endpoints.tsx'), 'TroubledEndpoints'),
    page('/merchants', () => import('./pages/merchants/merchants.tsx'), 'Merchants'),
    page('/merchants/$merchantId', () => import('./pages/merchants/merchant.tsx'), 'Merchant'),
    page('/team', () => import('./pages/team/team.tsx'), 'Team'),
    page('/portal', () => import('./portal/portal-overview.tsx'), 'PortalOverview'),
    page('/portal/payments', () => import('./portal/own-payments.tsx'), 'OwnPayments'),
    page('/portal/notifications', () => import('./portal/notifications.tsx'), 'Notifications'),
    page('/portal/notifications/$endpointId', () => import('./portal/notifications.tsx'), 'Notifications'),
    page('/portal/links', () => import('./portal/own-links.tsx'), 'OwnLinks'),
    page('/portal/requests', () => import('./portal/own-requests.tsx'), 'OwnRequests'),
    page('/portal/balance', () => import('./portal/balance.tsx'), 'Balance'),
    page('/portal/refunds', () => import('./portal/own-refunds.tsx'), 'OwnRefunds'),
    page('/portal/settlements', () => import('./portal/own-settlements.tsx'), 'OwnSettlements'),
  ]),
])

/** The pages and their addresses. */
export const router = createRouter({
  routeTree,
  basepath: '/console',
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
