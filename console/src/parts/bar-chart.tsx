import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, type ReactNode, useState } from 'react'
import { language } from '../language.ts'

/** A bar, and the part of it that is filled. */
export type Bar = { readonly name: string; readonly whole: number; readonly part: number }

type Props = {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly height?: number
  /** Describes the bar under the pointer, or all of them. */
  readonly describe: (index: number | undefined) => ReactNode
}

const inset = { top: 8, bottom: 20, right: 44 }
/** The least width of a name below the bars. */
const nameWidth = 52

/** The smallest round number that is at least a value. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [1, 2, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= value) ?? value
}

/** Bars next to each other, each with its filled part, over a scale from zero. */
export const BarChart = ({ label, bars, height = 180, describe }: Props) => {
  const { ref, width } = useElementSize()
  const [shown, setShown] = useState<number>()
  const top = roundUp(Math.max(1, ...bars.map(({ whole }) => whole)))
  const room = Math.max(1, width - inset.right)
  const step = room / Math.max(1, bars.length)
  const y = (value: number): number => height - inset.bottom - (value / top) * (height - inset.top - inset.bottom)
  const every = Math.max(1, Math.ceil(nameWidth / step))
  const column = (index: number, value: number, kind: string) => (
    <rect
      className={`bar-${kind}${index === shown ? ' bar-shown' : ''}`}
      x={index * step + step * 0.14}
      width={Math.max(1, step * 0.72)}
      y={y(value)}
      height={Math.max(0, height - inset.bottom - y(value))}
      rx={Math.min(2, step / 6)}
    />
  )
  const onMove = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>): void => {
    const index = Math.floor((clientX - currentTarget.getBoundingClientRect().left) / step)
    setShown(index >= 0 && index < bars.length ? index : undefined)
  }
  return (
    <figure className="chart" ref={ref} aria-label={label}>
      <svg width={width} height={height} role="img" onPointerMove={onMove} onPointerLeave={() => setShown(undefined)}>
        <title>{label}</title>
        {[top, top / 2].map((value) => (
          <g key={value}>
            <line className="chart-grid" x1={0} x2={room} y1={y(value)} y2={y(value)} />
            {Number.isInteger(value) && (
              <text className="chart-text" x={room + 8} y={y(value) + 4}>
                {value.toLocaleString(language)}
              </text>
            )}
          </g>
        ))}
        <line className="chart-base" x1={0} x2={room} y1={y(0)} y2={y(0)} />
        {bars.map(({ name, whole, part }, index) => (
          <g key={name}>
            {column(index, whole, 'whole')}
            {column(index, part, 'part')}
            {index % every === 0 && (
              <text className="chart-text" x={index * step + step * 0.14} y={height - 5}>
                {name}
              </text>
            )}
          </g>
        ))}
      </svg>
      <figcaption className="quiet small figures">{describe(shown)}</figcaption>
    </figure>
  )
}
