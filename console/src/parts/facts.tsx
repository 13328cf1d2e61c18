import type { ReactNode } from 'react'

/** A name and its value; a list of them is a `Facts`. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** What is known about one thing, as names and values. */
export const Facts = ({ children }: { readonly children: ReactNode }) => <dl className="facts">{children}</dl>
