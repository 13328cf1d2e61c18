import type { ReactNode } from 'react'

type Props = { readonly title: string; readonly about?: ReactNode; readonly children?: ReactNode }

/** The first line of a page: its name, what it shows, and what can be done with all of it. */
export const PageHead = ({ title, about, children }: Props) => (
  <header className="page-head">
    <h1>{title}</h1>
    {about !== undefined && <span className="quiet small">{about}</span>}
    <div className="page-actions">{children}</div>
  </header>
)
