import type { ReactNode } from 'react'

type Props = {
  readonly used: number
  readonly limit: number | null
  /** What is shown above the bar. */
  readonly children: ReactNode
}

/** How much of a limit is used, as a bar below the figures; no bar without a limit. */
export const UsageBar = ({ used, limit, children }: Props) => {
  if (limit === null) return <span className="usage">{children}</span>
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const tone = share >= 0.95 ? 'bad' : share >= 0.75 ? 'wait' : 'fine'
  return (
    <span className="usage" title={`${Math.round(share * 100)} % used`}>
      {children}
      <span className={`usage-bar usage-${tone}`}>
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  )
}
