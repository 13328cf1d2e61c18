import type { IconName } from '../parts/icon.tsx'

/** Paths of the pages in the navigation. */
export type PagePath = '/' | '/payments' | '/matching' | '/statements' | '/disputes' | '/requisites' | '/team'

/** A line of the navigation. */
export type Area = { readonly title: string; readonly pages: readonly Page[] }
type Page = { readonly path: PagePath; readonly name: string; readonly icon: IconName; readonly keys: string }

/** The pages by areas, each with the keys that open it. */
export const areas: readonly Area[] = [
  { title: 'Today', pages: [{ path: '/', name: 'Overview', icon: 'overview', keys: 'g o' }] },
  {
    title: 'Money in',
    pages: [
      { path: '/matching', name: 'Matching', icon: 'matching', keys: 'g m' },
      { path: '/statements', name: 'Statements', icon: 'statements', keys: 'g s' },
      { path: '/payments', name: 'Payments', icon: 'payments', keys: 'g p' },
    ],
  },
  {
    title: 'Cases',
    pages: [{ path: '/disputes', name: 'Disputes', icon: 'dispute', keys: 'g d' }],
  },
  {
    title: 'Accounts',
    pages: [{ path: '/requisites', name: 'Requisites', icon: 'accounts', keys: 'g q' }],
  },
  { title: 'This installation', pages: [{ path: '/team', name: 'Team', icon: 'person', keys: 'g t' }] },
]
