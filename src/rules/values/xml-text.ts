const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text cut to `maxLength` characters and escaped for XML, in an element or an attribute. */
export const xmlText = (value: string, maxLength: number): string =>
  [...value]
    .slice(0, maxLength)
    .join('')
    .replace(/[&<>"]/g, (character) => escapes[character] ?? character)
