import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { NotFound } from './pages/not-found.tsx'
import { PageError } from './pages/page-error.tsx'
import { Shell } from './shell/shell.tsx'

/** Filters of a page, as its address has them: names and texts. */
export type Search = Readonly<Record<string, string | undefined>>

const readSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))
const writeSearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const query = new URLSearchParams(given).toString()
  return query === '' ? '' : `?${query}`
}

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageError })
/** Pages for whoever is signed in. */
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Shell })
const validateSearch = (search: Record<string, unknown>): Search => search as Search

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./pages/sign-in/invitation.tsx'), 'Invitation'),
  }),
  inside.addChildren([
    createRoute({
      getParentRoute: () => inside,
      path: '/',
      component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'Overview'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/statements',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/statements/statements.tsx'), 'Statements'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/statements/$id',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/statements/statement-page.tsx'), 'StatementPage'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/sources',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/statements/sources.tsx'), 'Sources'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/reconciliation',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/reconciliation/reconciliation.tsx'), 'Reconciliation'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/outgoing',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/reconciliation/outgoing.tsx'), 'Outgoing'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/settlements',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/settlements/settlements.tsx'), 'Settlements'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/ledger',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/ledger/accounts.tsx'), 'Accounts'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/ledger/journal',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/ledger/journal.tsx'), 'Journal'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/ledger/trial-balance',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/ledger/trial-balance.tsx'), 'TrialBalance'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/matching',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/matching/matching.tsx'), 'Matching'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/payments',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/payments/payments.tsx'), 'Payments'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/disputes',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/disputes/disputes.tsx'), 'Disputes'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/requisites',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/requisites/requisites.tsx'), 'Requisites'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/requisites/explain',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/requisites/explain.tsx'), 'Explain'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/overpayments',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/owed/overpayments.tsx'), 'Overpayments'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/reversals',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/owed/reversals.tsx'), 'Reversals'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/claims',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/owed/claims.tsx'), 'Claims'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/account',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/account/account.tsx'), 'Account'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/alerts',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/alerts/alerts.tsx'), 'Alerts'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/alerts/rules',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/alerts/alert-rules.tsx'), 'AlertRules'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/alerts/channels',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/alerts/alert-channels.tsx'), 'AlertChannels'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/risk',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/risk/risk-decisions.tsx'), 'RiskDecisions'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/risk/blocks',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/risk/risk-blocks.tsx'), 'RiskBlocks'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/risk/rules',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/risk/risk-rules.tsx'), 'RiskRules'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/audit',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/audit/audit.tsx'), 'Audit'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/health',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/health/health.tsx'), 'Health'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/rates',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/rates/rates.tsx'), 'Rates'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/merchants',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/merchants/merchants.tsx'), 'Merchants'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/merchants/$merchantId',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/merchants/merchant.tsx'), 'Merchant'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/team',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/team/team.tsx'), 'Team'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/portal',
      validateSearch,
      component: lazyRouteComponent(() => import('./portal/portal-overview.tsx'), 'PortalOverview'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/portal/payments',
      validateSearch,
      component: lazyRouteComponent(() => import('./portal/own-payments.tsx'), 'OwnPayments'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/portal/notifications',
      validateSearch,
      component: lazyRouteComponent(() => import('./portal/notifications.tsx'), 'Notifications'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/portal/notifications/$endpointId',
      validateSearch,
      component: lazyRouteComponent(() => import('./portal/notifications.tsx'), 'Notifications'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/portal/balance',
      validateSearch,
      component: lazyRouteComponent(() => import('./portal/balance.tsx'), 'Balance'),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/portal/settlements',
      validateSearch,
      component: lazyRouteComponent(() => import('./portal/own-settlements.tsx'), 'OwnSettlements'),
    }),
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
