/** The anchor of a heading, as GitHub makes it. */
export const asAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/** Gives each heading of a page an anchor of its own. */
export const openAnchors = (): ((heading: string) => string) => {
  const used = new Map<string, number>()
  return (heading) => {
    const anchor = asAnchor(heading)
    const count = used.get(anchor) ?? 0
    used.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }
}
