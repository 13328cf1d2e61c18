const [width, height, margin] = [96, 28, 2]

/** The trend of a value, as a line without a scale; its meaning is written next to it. */
export const Sparkline = ({ values }: { readonly values: readonly number[] }) => {
  const [least, most] = [Math.min(0, ...values), Math.max(...values)]
  if (values.length < 2 || most === least) return null
  const x = (index: number): number => margin + (index / (values.length - 1)) * (width - 2 * margin)
  const y = (value: number): number => height - margin - ((value - least) / (most - least)) * (height - 2 * margin)
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`)
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      <polygon points={`${margin},${height - margin} ${points.join(' ')} ${width - margin},${height - margin}`} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}
