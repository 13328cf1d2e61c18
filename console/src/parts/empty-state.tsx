import type { ReactNode } from 'react'

type Props = { readonly title: string; readonly children: ReactNode; readonly action?: ReactNode }

/** Shown by a list without rows: what belongs here, and how it gets here. */
export const EmptyState = ({ title, children, action }: Props) => (
  <div className="empty">
    <h2>{title}</h2>
    <div className="quiet">{children}</div>
    {action}
  </div>
)
