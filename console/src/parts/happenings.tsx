import type { ReactNode } from 'react'
import { Moment } from './moment.tsx'

export type Happening = {
  readonly key: string | number
  readonly at: string
  readonly what: ReactNode
  readonly details?: ReactNode
}

/** What happened, one after the other. */
export const Happenings = ({ of }: { readonly of: readonly Happening[] }) => (
  <ol className="happenings">
    {of.map(({ key, at, what, details }) => (
      <li key={key}>
        <span className="quiet small happening-time">
          <Moment at={at} />
        </span>
        <div>
          <div>{what}</div>
          {details}
        </div>
      </li>
    ))}
  </ol>
)
