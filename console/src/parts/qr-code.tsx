import { encode } from 'uqr'

/** A QR code as a picture, dark on light in both themes, because scanners need that. */
export const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { data, size } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className="qr-code" role="img" aria-label={label}>
      <path d={path} />
    </svg>
  )
}
