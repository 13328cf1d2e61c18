import { Drawer, Loader } from '@mantine/core'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { pauseLive, useLive } from '../live.ts'
import { Icon } from '../parts/icon.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SetUpFactor } from '../pages/sign-in/set-up-factor.tsx'
import { SignIn } from '../pages/sign-in/sign-in.tsx'
import { useSession } from '../session.ts'
import { KeyboardHelp } from './keyboard-help.tsx'
import { Brand } from './brand.tsx'
import { areas } from './navigation.ts'
import { TopBar } from './top-bar.tsx'
import { useKeys } from './use-keys.ts'
import { VerificationDialog } from './verification-dialog.tsx'

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
  if (session.state === 'unfinished') return <SetUpFactor onDone={session.finish} />
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
      <VerificationDialog />
      <KeyboardHelp opened={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  )
}
