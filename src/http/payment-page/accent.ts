/** The colour of buttons and links, and that of the text on them; `#rrggbb`. */
export type Accent = { readonly accent: string; readonly ink: string }

type Rgb = readonly [number, number, number]

/** The minimum contrast of text is 4.5 (WCAG 2.2, 1.4.3); the rest allows for rounding. */
const leastContrast = 4.6

/** The page's backgrounds on which contrast is hardest to reach. */
const backgrounds = { light: '#f2f4f7', dark: '#202a35' } as const

const parse = (colour: string): Rgb => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const print = (colour: Rgb): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

const luminance = (colour: Rgb): number => {
  const [red, green, blue] = colour.map((part) => {
    const value = part / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2). */
export const contrast = (a: string, b: string): number => {
  const [one, other] = [luminance(parse(a)), luminance(parse(b))]
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

const mix = (colour: Rgb, into: Rgb, share: number): Rgb =>
  colour.map((part, index) => part + ((into[index] ?? 0) - part) * share) as unknown as Rgb

/** The nearest shade of a merchant's colour that is readable on the page in a theme. */
export const readableAccent = (colour: string, theme: 'light' | 'dark'): Accent => {
  const goal: Rgb = theme === 'light' ? [0, 0, 0] : [255, 255, 255]
  const shades = Array.from({ length: 21 }, (_, step) => print(mix(parse(colour), goal, step / 20)))
  const accent = shades.find((shade) => contrast(shade, backgrounds[theme]) >= leastContrast) ?? print(goal)
  return { accent, ink: contrast('#ffffff', accent) >= leastContrast ? '#ffffff' : '#000000' }
}

/** The stylesheet that replaces the page's colour with a merchant's. */
export const accentStyle = (colour: string): string => {
  const rule = ({ accent, ink }: Accent): string => `:root{--accent:${accent};--accent-ink:${ink}}`
  return `${rule(readableAccent(colour, 'light'))}@media(prefers-color-scheme:dark){${rule(readableAccent(colour, 'dark'))}}`
}
