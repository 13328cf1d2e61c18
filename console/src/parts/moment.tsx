import { formatDay, formatExact, formatRelative, formatTime, useNow } from '../time.ts'

type Props = {
  readonly at: string | undefined
  /** `relative`: how long ago; `exact`: the time; the title shows the other. */
  readonly show?: 'relative' | 'exact'
  /** The day, if nobody said at which time of it. */
  readonly day?: string | undefined
}

/** A time that the service sent. */
export const Moment = ({ at, show = 'exact', day }: Props) => {
  const now = useNow()
  if (at === undefined) return <span className="quiet">–</span>
  if (day !== undefined)
    return (
      <time dateTime={day} title="The bank gave no time" className="figures">
        {formatDay(day, now)}
      </time>
    )
  const instant = Date.parse(at)
  const ago = formatRelative(instant, now)
  return (
    <time dateTime={at} title={`${formatExact(instant)} (${ago})`} className="figures">
      {show === 'relative' ? ago : formatTime(instant, now)}
    </time>
  )
}
