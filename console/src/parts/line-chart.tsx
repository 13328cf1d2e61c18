import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import { hour } from '../../../src/rules/time.ts'
import { dayAndMonth, formatExact, hourAndMinute } from '../time.ts'

/** A value at a time, in milliseconds. */
export type ChartPoint = { readonly at: number; readonly value: number; readonly note?: string }

type Props = {
  readonly label: string
  /** The oldest first; each value lasts until the next one. */
  readonly points: readonly ChartPoint[]
  readonly from: number
  readonly until: number
  readonly height?: number
  readonly format: (value: number) => string
}

const inset = { top: 10, bottom: 20, left: 4, right: 64 }

/** A value over time as a line of steps, with the value under the pointer. */
export const LineChart = ({ label, points, from, until, height = 160, format }: Props) => {
  const { ref, width } = useElementSize()
  const [shownAt, setShownAt] = useState<number>()
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const room = (high - low || high * 0.02 || 1) * 0.12
  const [bottom, top] = [low - room, high + room]
  const right = Math.max(1, width - inset.right)
  const x = (at: number): number => inset.left + ((Math.max(at, from) - from) / (until - from)) * (right - inset.left)
  const y = (value: number): number =>
    inset.top + ((top - value) / (top - bottom)) * (height - inset.top - inset.bottom)
  const path = points
    .map(({ at, value }, index) => (index === 0 ? `M${x(at)} ${y(value)}` : `H${x(at)}V${y(value)}`))
    .join('')
  const shown = shownAt === undefined ? points.at(-1) : points.findLast(({ at }) => at <= shownAt)
  const onMove = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>): void => {
    const share = (clientX - currentTarget.getBoundingClientRect().left - inset.left) / (right - inset.left)
    setShownAt(from + Math.min(1, Math.max(0, share)) * (until - from))
  }
  const dayLong = until - from <= 26 * hour
  return (
    <figure className="chart" ref={ref} aria-label={label}>
      <svg width={width} height={height} role="img" onPointerMove={onMove} onPointerLeave={() => setShownAt(undefined)}>
        <title>{label}</title>
        {[high, low].map((value, index) => (
          <g key={index}>
            <line className="chart-grid" x1={inset.left} x2={right} y1={y(value)} y2={y(value)} />
            {(index === 0 || high !== low) && (
              <text className="chart-text" x={right + 8} y={y(value) + 4}>
                {format(value)}
              </text>
            )}
          </g>
        ))}
        {[0, 0.25, 0.5, 0.75].map((share) => {
          const at = from + share * (until - from)
          return (
            <text key={share} className="chart-text" x={x(at)} y={height - 4}>
              {(dayLong ? hourAndMinute : dayAndMonth).format(at)}
            </text>
          )
        })}
        {points.length > 0 && <path className="chart-line" d={`${path}H${right}`} />}
        {shown !== undefined && shownAt !== undefined && (
          <circle className="chart-dot" cx={x(shownAt)} cy={y(shown.value)} r={4} />
        )}
      </svg>
      {shown !== undefined && (
        <figcaption className="quiet small figures">
          {format(shown.value)} {shown.note} · since {formatExact(shown.at)}
        </figcaption>
      )}
    </figure>
  )
}
