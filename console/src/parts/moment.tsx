import { formatExact, formatRelative, formatTime, useNow } from '../time.ts'

type Props = {
  readonly at: string | undefined
  /** `relative`: how long ago; `exact`: the time; the title shows the other. */
  readonly show?: 'relative' | 'exact'
}

/** A time that the service sent. */
export const Moment = ({ at, show = 'exact' }: Props) => {
  const now = useNow()
  if (at === undefined) return <span className="quiet">–</span>
  const instant = Date.parse(at)
  const ago = formatRelative(instant, now)
  return (
    <time dateTime={at} title={`${formatExact(instant)} (${ago})`} className="figures">
      {show === 'relative' ? ago : formatTime(instant, now)}
    </time>
  )
}
