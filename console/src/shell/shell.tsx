import { Drawer, Loader } from '@mantine/core'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { pauseLive, useLive } from '../live.ts'
import { Icon } from '../parts/icon.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SignIn } from '../pages/sign-in.tsx'
import { useSession } from '../session.ts'
import { KeyboardHelp } from './keyboard-help.tsx'
import { areas } from './navigation.ts'
import { TopBar } from './top-bar.tsx'
import { useKeys } from './use-keys.ts'

const Navigation = ({ onChosen }: { readonly onChosen?: () => void }) => (
  <nav className="navigation" aria-label="Pages">
    {areas.map(({ title, pages }) => (
      <section key={title}>
        <h2>{title}</h2>
        {pages.map(({ path, name, icon }) => (
          <Link key={path} to={path} activeOptions={{ exact: path === '/', includeSearch: false }} onClick={onChosen}>
            <Icon name={icon} />
            {name}
          </Link>
        ))}
      </section>
    ))}
  </nav>
)

const Brand = () => (
  <div className="brand">
    <svg aria-hidden="true" viewBox="0 0 32 32" width="24" height="24">
      <rect width="32" height="32" rx="7" className="brand-field" />
      <path d="M10 24V8h7.2a5.4 5.4 0 0 1 0 10.8H13" className="brand-line" />
    </svg>
    Payin
  </div>
)

/** The frame around all pages, for whoever is signed in; else the sign-in page. */
export const Shell = () => {
  const session = useSession()
  const navigate = useNavigate()
  const { isPaused } = useLive()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const pages = areas.flatMap((area) => area.pages)
  useKeys({
    '?': () => setHelpOpen(true),
    '.': () => pauseLive(!isPaused),
    ...Object.fromEntries(pages.map(({ keys, path }) => [keys, () => void navigate({ to: path })])),
  })
  if (session.state === 'signed-out') return <SignIn />
  if (session.state === 'failed')
    return (
      <main className="alone">
        <ProblemMessage error={session.error} onRetry={session.retry} />
      </main>
    )
  if (session.state === 'loading')
    return (
      <main className="alone" aria-busy="true">
        <Loader size="sm" aria-label="Loading" />
      </main>
    )
  return (
    <div className="shell">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <aside className="side">
        <Brand />
        <Navigation />
      </aside>
      <Drawer
        opened={isMenuOpen}
        onClose={() => setMenuOpen(false)}
        title={<Brand />}
        size={260}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Navigation onChosen={() => setMenuOpen(false)} />
      </Drawer>
      <TopBar person={session.person} onMenu={() => setMenuOpen(true)} onHelp={() => setHelpOpen(true)} />
      <main className="page" id="page">
        <Outlet />
      </main>
      <KeyboardHelp opened={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  )
}
