import type { ReactNode } from 'react'

type Props = { readonly title: string; readonly children: ReactNode; readonly action?: ReactNode }

/** What a list without rows says: what would be here, and how it comes here. */
export const EmptyState = ({ title, children, action }: Props) => (
  <div className="empty">
    <h2>{title}</h2>
    <div className="quiet">{children}</div>
    {action}
  </div>
)
