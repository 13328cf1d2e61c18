import type { ReactNode } from 'react'
import { Moment } from './moment.tsx'

type Props = { readonly name: string } & (
  | { readonly children: ReactNode }
  /** When it happened. */
  | { readonly at: string | undefined; readonly day?: string | undefined }
)

/** A name and its value; a list of them is a `Facts`. */
export const Fact = ({ name, ...value }: Props) => (
  <div>
    <dt>{name}</dt>
    <dd>{'at' in value ? <Moment at={value.at} day={value.day} /> : value.children}</dd>
  </div>
)

/** What is known about one thing, as names and values. */
export const Facts = ({ children }: { readonly children: ReactNode }) => <dl className="facts">{children}</dl>
