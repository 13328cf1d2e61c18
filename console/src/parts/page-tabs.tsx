import { Link, type LinkProps } from '@tanstack/react-router'

type Tab = { readonly to: NonNullable<LinkProps['to']>; readonly name: string }

/** Pages that belong together, one of them open. */
export const PageTabs = ({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) => (
  <nav className="page-tabs" aria-label={label}>
    {tabs.map(({ to, name }) => (
      <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
        {name}
      </Link>
    ))}
  </nav>
)
