type Rgb = readonly [number, number, number]

/** The minimum contrast of text is 4.5 (WCAG 2.2, 1.4.3); the rest allows for rounding. */
const leastContrast = 4.6

/** The page's backgrounds on which contrast is hardest to reach. */
const backgrounds = { light: '#f2f4f7', dark: '#202a35' } as const

/** The card that buttons are on. */
const cards = { light: '#ffffff', dark: '#19212a' } as const

/** A fill with less contrast to its card is hardly visible. */
const leastSeen = 1.4

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

/** The nearest shade of a merchant's colour that is readable as text on the page in a theme. */
export const readableAccent = (colour: string, theme: 'light' | 'dark'): string => {
  const goal: Rgb = theme === 'light' ? [0, 0, 0] : [255, 255, 255]
  const shades = Array.from({ length: 21 }, (_, step) => print(mix(parse(colour), goal, step / 20)))
  return shades.find((shade) => contrast(shade, backgrounds[theme]) >= leastContrast) ?? print(goal)
}

/** The colour of text on a fill: white if that is readable, otherwise black. */
export const inkOn = (fill: string): string => (contrast('#ffffff', fill) >= leastContrast ? '#ffffff' : '#000000')

/**
 * The stylesheet that puts a merchant's colour in place of the page's: fills have it as it is, text in a readable
 * shade.
 */
export const accentStyle = (colour: string): string => {
  const fill = `--fill:${colour};--fill-ink:${inkOn(colour)}`
  const rule = (theme: 'light' | 'dark'): string => {
    const text = readableAccent(colour, theme)
    // On a white card, the border makes a white button visible.
    const edge = contrast(colour, cards[theme]) < leastSeen ? text : colour
    return `:root{--accent:${text};${fill};--fill-edge:${edge}}`
  }
  return `${rule('light')}@media(prefers-color-scheme:dark){${rule('dark')}}`
}
