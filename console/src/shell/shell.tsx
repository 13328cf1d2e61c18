import { Drawer, Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { followNews, pauseLive, useLive } from '../live.ts'
import { Icon } from '../parts/icon.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SignIn } from '../pages/sign-in/sign-in.tsx'
import { NotFound } from '../pages/not-found.tsx'
import { type Person, useSession } from '../session.ts'
import { KeyboardHelp } from './keyboard-help.tsx'
import { Brand } from './brand.tsx'
import { useAccountLanguage } from './language-choice.tsx'
import { type Area, areas as operatorAreas, portalAreas } from './navigation.ts'
import { TopBar } from './top-bar.tsx'
import { useKeys } from './use-keys.ts'
import { VerificationDialog } from './verification-dialog.tsx'

type NavigationProps = { readonly areas: readonly Area[]; readonly onChosen?: () => void }

const Navigation = ({ areas, onChosen }: NavigationProps) => (
  <nav className="navigation" aria-label="Pages">
    {areas.map(({ title, pages }) => (
      <section key={title}>
        <h2>{title}</h2>
        {pages.map(({ path, name, icon }) => (
          <Link
            key={path}
            to={path}
            activeOptions={{ exact: path === '/' || path === '/portal', includeSearch: false }}
            onClick={onChosen}
          >
            <Icon name={icon} />
            {name}
          </Link>
        ))}
      </section>
    ))}
  </nav>
)

/** Keeps the pages up to date for as long as this person is signed in. */
const useNews = (name: string | undefined): void => {
  const queries = useQueryClient()
  useEffect(() => {
    if (name === undefined) return undefined
    const end = new AbortController()
    void followNews(queries, end.signal)
    return () => end.abort()
  }, [queries, name])
}

/** Whether the address is on this person's side: operators have their pages, members of a merchant the portal. */
const useSide = (person: Person | undefined): 'own' | 'elsewhere' | 'moving' => {
  // Of the page that is shown: the next address is current before its page has loaded. Without the base path, whether or
  // not the router removes it.
  const shown = useRouterState({ select: ({ resolvedLocation, location }) => resolvedLocation ?? location })
  const pathname = shown.pathname.replace(/^\/console(?=\/|$)/, '') || '/'
  const navigate = useNavigate()
  const isOfMerchant = person?.merchant !== undefined
  const isStart = isOfMerchant && pathname === '/'
  useEffect(() => {
    if (isStart) void navigate({ to: '/portal', replace: true })
  }, [isStart, navigate])
  if (isStart) return 'moving'
  const isPortal = pathname === '/portal' || pathname.startsWith('/portal/')
  return pathname === '/account' || isPortal === isOfMerchant ? 'own' : 'elsewhere'
}

/** The frame around all pages for anybody who is signed in; otherwise the sign-in page. */
export const Shell = () => {
  const session = useSession()
  const navigate = useNavigate()
  const { isPaused } = useLive()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const person = session.state === 'signed-in' ? session.person : undefined
  const areas = person?.merchant === undefined ? operatorAreas : portalAreas
  const pages = areas.flatMap((area) => area.pages)
  useNews(person?.name)
  useAccountLanguage(person !== undefined)
  const side = useSide(person)
  useKeys({
    '?': () => setHelpOpen(true),
    '.': () => pauseLive(!isPaused),
    ...Object.fromEntries(pages.map(({ keys, path }) => [keys, () => void navigate({ to: path })])),
  })
  if (session.state === 'signed-out' || session.state === 'unfinished')
    return <SignIn isUnfinished={session.state === 'unfinished'} />
  if (session.state === 'failed')
    return (
      <main className="alone">
        <div className="refused">
          <h1>The console cannot be shown</h1>
          <ProblemMessage error={session.error} onRetry={session.retry} />
        </div>
      </main>
    )
  if (session.state === 'loading')
    return (
      <main className="alone" aria-busy="true">
        <Loader size="sm" role="status" aria-label="Loading" />
      </main>
    )
  return (
    <div className="shell">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <aside className="side">
        <Brand />
        {session.person.merchant !== undefined && (
          <p className="side-merchant cut">
            {session.person.merchant.name}
            {session.person.merchant.mode === 'sandbox' && ' · sandbox'}
          </p>
        )}
        <Navigation areas={areas} />
      </aside>
      <Drawer
        opened={isMenuOpen}
        onClose={() => setMenuOpen(false)}
        title={<Brand />}
        size={260}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Navigation areas={areas} onChosen={() => setMenuOpen(false)} />
      </Drawer>
      <TopBar person={session.person} onMenu={() => setMenuOpen(true)} onHelp={() => setHelpOpen(true)} />
      <main className="page" id="page">
        {side === 'own' ? <Outlet /> : side === 'elsewhere' && <NotFound />}
      </main>
      <VerificationDialog />
      <KeyboardHelp areas={areas} opened={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  )
}
