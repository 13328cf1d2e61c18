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
      path: '/team',
      validateSearch,
      component: lazyRouteComponent(() => import('./pages/team/team.tsx'), 'Team'),
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
