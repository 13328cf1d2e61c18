/** Headers of a mail: the values of each name, which is in lower case; the topmost value is the first. */
export type MailHeaders = ReadonlyMap<string, readonly string[]>

/** The headers in a text. Each line counts, whatever characters its value has: what a mail server has added is found. */
export const readMailHeaders = (text: string): MailHeaders => {
  const found = new Map<string, string[]>()
  // Only a line feed ends a line, as for the mail server.
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const end = line.indexOf(':')
    if (end < 0) continue
    const name = line.slice(0, end).trim().toLowerCase()
    const values = found.get(name) ?? []
    values.push(line.slice(end + 1))
    found.set(name, values)
  }
  return found
}

/** The address of a mail's only sender; `undefined` if it has several, or none that can be read. */
export const senderOf = (headers: MailHeaders): string | undefined => {
  const [from = '', ...others] = headers.get('from') ?? []
  if (others.length > 0) return undefined
  // In quotes and comments a sender writes what it likes.
  const bare = from
    .replace(/\\[^]/g, ' ')
    .replace(/"[^"]*"/g, ' ')
    .replace(/\([^()]*\)/g, ' ')
  const address = (/^[^<>,;"]*<([^<>]*)>\s*$/.exec(bare)?.[1] ?? bare).trim()
  return /^[^\s@<>()[\],;:"]+@[^\s@<>()[\],;:"]+$/.test(address) ? address : undefined
}

/** Headers by which a mail program says that a mail answers or forwards another one. */
const namingOthers = [
  'in-reply-to',
  'references',
  'x-forwarded-message-id',
  'resent-from',
  'resent-message-id',
] as const

/** The headers that `isAnswer` asks for. */
export const headersOfAnswers: readonly string[] = [...namingOthers, 'auto-submitted', 'return-path']

/**
 * Whether a mail answers or forwards another one, as bounces and automatic replies do: it is from its sender, but what is
 * attached may be from whoever wrote the other one.
 */
export const isAnswer = (headers: MailHeaders): boolean => {
  const valuesOf = (name: string): string[] => (headers.get(name) ?? []).map((value) => value.trim().toLowerCase())
  return (
    namingOthers.some((name) => valuesOf(name).some((value) => value !== '')) ||
    valuesOf('auto-submitted').some((value) => value.startsWith('auto-replied')) ||
    valuesOf('return-path').includes('<>')
  )
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

/** Whether a pickup reads the mails of an address. */
export const isWantedSender = (address: string, senders: readonly string[]): boolean =>
  address.includes('@') &&
  senders.some((each) => {
    const wanted = each.toLowerCase()
    return wanted.startsWith('@') ? domainOf(address) === wanted.slice(1) : address.toLowerCase() === wanted
  })

/** Control characters and unusual spaces: no server writes them itself, and not everybody takes them for the same. */
const strange = /[^\P{Cc}\t]|[^\S\t ]/u

/**
 * The results in a header Authentication-Results, in lower case. A sender may write parts of it, within quotes or comments:
 * those are left out, and a header in which any is not closed says nothing.
 */
const partsOf = (header: string): string[] => {
  // Nobody needs to escape a quote in what is asked for here.
  if (header.includes('\\') || strange.test(header)) return []
  let text = header
    .replace(/\s+/g, ' ')
    .replace(/"([^"]*)"/g, (_, quoted: string) => (/^@?[\w.-]+$/.test(quoted) ? quoted : ' '))
  // Comments within comments, as deep as anybody writes them.
  for (let depth = 0; depth < 5; depth++) text = text.replace(/\([^()]*\)/g, ' ')
  if (/["()]/.test(text)) return []
  const parts = text.toLowerCase().replace(/ ?= ?/g, '=').split(';')
  return parts.slice(1).map((part) => part.trim())
}

/**
 * Whether the mail server has found that a mail is really from the domain of its sender: by DMARC, or by a signature of
 * that domain or of the one that it belongs to. `results` are the headers Authentication-Results, the topmost first: only
 * the first one of the server itself counts, because the sender may have written others.
 */
export const isProvenSender = (sender: string, results: readonly string[], checkedBy: string): boolean => {
  const own = results.find((result) => result.trim().split(/[\s;]/)[0]?.toLowerCase() === checkedBy.toLowerCase())
  const domain = domainOf(sender)
  return (own === undefined ? [] : partsOf(own)).some((part) => {
    const [first = '', ...properties] = part.split(/\s+/)
    const [method, result] = first.split('=')
    if (result !== 'pass') return false
    const named = (name: string): string =>
      properties
        .find((each) => each.startsWith(`${name}=`))
        ?.slice(name.length + 1)
        .replace(/^@/, '') ?? ''
    if (method === 'dmarc') return domainOf(named('header.from')) === domain
    if (method !== 'dkim') return false
    const signer = named('header.d') || domainOf(named('header.i'))
    return signer.includes('.') && (domain === signer || domain.endsWith(`.${signer}`))
  })
}
