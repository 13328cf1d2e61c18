import { BlockList, isIP } from 'node:net'
import { oneUsdt } from '../rules/values/currency.ts'

/** A value, or a problem that continues a sentence starting with the variable's name and never quotes the text. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string }

/** Reads the text of a setting. */
export type Kind<T> = (text: string) => Parsed<T>

/** A setting: its variable, and the texts that it accepts. */
export type Setting = {
  readonly name: string
  readonly group: string
  readonly kind: Kind<unknown>
  /** Parsed if the variable is unset; without a default the setting is then undefined. `{PORT}` becomes the port. */
  readonly default?: string
  /** Never shown; also read from the file that `<name>_FILE` names. */
  readonly secret?: true
  readonly requiredInProduction?: true
  /** What to write instead of a wrong value; required if there is no default. */
  readonly fix?: string
  /** One sentence: what the setting promises, with its units. */
  readonly doc: string
}

/** The settings of one group, under whose name `.env.example` shows them. */
export const settingsOf = <const Settings extends Readonly<Record<string, Omit<Setting, 'group'>>>>(
  group: string,
  settings: Settings,
) =>
  Object.fromEntries(Object.entries(settings).map(([key, each]) => [key, { ...each, group }])) as {
    readonly [Key in keyof Settings]: Settings[Key] & { readonly group: string }
  }

const splitList = (text: string): string[] => (text === '' ? [] : text.split(',').map((part) => part.trim()))

/** Any text. */
export const anyText: Kind<string> = (text) => ({ value: text })

/** A whole number within bounds. */
export const wholeNumber =
  (least: number, most: number): Kind<number> =>
  (text) => {
    const value = Number(text)
    if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return { value }
    return { problem: `is not a whole number from ${least} to ${most}` }
  }

/** A TCP port, or `off`, which is undefined. */
export const portOrOff: Kind<number | undefined> = (text) => {
  if (text === 'off') return { value: undefined }
  const parsed = wholeNumber(0, 65_535)(text)
  return 'problem' in parsed ? { problem: 'is neither off nor a whole number from 0 to 65535' } : parsed
}

/** A whole number of USDT, as millionths. */
export const wholeUsdt =
  (least: number, most: number): Kind<bigint> =>
  (text) => {
    const parsed = wholeNumber(least, most)(text)
    return 'problem' in parsed ? parsed : { value: BigInt(parsed.value) * oneUsdt }
  }

/** `on` or `off`. */
export const onOrOff: Kind<boolean> = (text) =>
  text === 'on' || text === 'off' ? { value: text === 'on' } : { problem: 'is neither on nor off' }

/** One of the given words. */
export const oneOf =
  <const T extends string>(choices: readonly T[]): Kind<T> =>
  (text) => {
    const value = choices.find((choice) => choice === text)
    return value === undefined ? { problem: `is not one of ${choices.join(', ')}` } : { value }
  }

/** Some of the given words, each at most once, separated by commas. */
export const listOf =
  <const T extends string>(choices: readonly T[]): Kind<readonly T[]> =>
  (text) => {
    const parts = splitList(text)
    const value = choices.filter((choice) => parts.includes(choice))
    // As many parts as distinct words: nothing unknown, nothing twice, nothing missing.
    if (value.length > 0 && value.length === parts.length) return { value }
    return { problem: `is not a list, each at most once, of ${choices.join(', ')}` }
  }

/** An IP address or a host name. */
export const hostName: Kind<string> = (text) => {
  if (isIP(text) || /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i.test(text)) return { value: text }
  return { problem: 'is neither an IP address nor a host name' }
}

/** An http or https address without a slash at its end. */
export const webAddress: Kind<string> = (text) => {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\//i.test(text)) return { problem: 'is not an address that starts with http:// or https://' }
  if (url.username || url.password) return { problem: 'contains a user name or password' }
  if (text.includes('?') || text.includes('#')) return { problem: 'has a query or a fragment' }
  return { value: url.origin + url.pathname.replace(/(?<!\/)\/+$/, '') }
}

/** Only scheme and target are checked: PostgreSQL also accepts lists of hosts and sockets, which `URL` cannot parse. */
export const databaseAddress: Kind<string> = (text) => {
  if (!/^postgres(ql)?:\/\/\S+$/.test(text)) return { problem: 'does not start with postgres:// or postgresql://' }
  const target = /[?&]target_session_attrs=([^&]*)/.exec(text)?.[1] ?? 'any'
  if (['any', 'read-write', 'primary'].includes(target)) return { value: text }
  return { problem: 'has a target_session_attrs other than any, read-write and primary: Payin writes' }
}

/** The name of a schema, which needs no quotes in SQL. */
export const schemaName: Kind<string> = (text) =>
  /^(?!pg_)[a-z][a-z0-9_]{0,39}$/.test(text)
    ? { value: text }
    : { problem: 'is not a name of up to 40 small letters, digits and underscores that starts with a letter' }

/** The address of a mail server; its path and query contain options for nodemailer. */
export const mailServerAddress: Kind<string> = (text) => {
  const url = /^smtps?:\/\//i.test(text) ? URL.parse(text) : null
  return url?.hostname ? { value: text } : { problem: 'is not an address that starts with smtp:// or smtps://' }
}

/** An e-mail address without a name. */
export const mailAddress: Kind<string> = (text) =>
  text.length <= 254 && /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(text)
    ? { value: text }
    : { problem: 'is not an e-mail address' }

/** A token that is long and varied enough to be random. */
export const longToken: Kind<string> = (text) => {
  if (!/^[\x21-\x7e]*$/.test(text)) return { problem: 'has characters other than printable ASCII without spaces' }
  if (text.length < 32 || text.length > 256) return { problem: `has ${text.length} characters, not 32 to 256` }
  if (new Set(text).size < 8) return { problem: 'repeats few characters and is not random' }
  return { value: text }
}

const containsMapped = (network: string, bits: number): boolean => {
  const range = new BlockList()
  range.addSubnet(network, bits, 'ipv6')
  return range.check('::ffff:192.0.2.1', 'ipv6')
}

/** IP addresses and CIDR ranges, separated by commas. */
export const addressList: Kind<readonly string[]> = (text) => {
  const value = splitList(text)
  for (const part of value) {
    const [address = '', bits, ...rest] = part.split('/')
    const family = isIP(address)
    const bitsFit = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
    if (!family || !bitsFit || rest.length > 0) return { problem: 'is not a list of IP addresses and CIDR ranges' }
    // A range of all addresses would let every caller choose the address that limits and allow-lists see.
    if (bits !== undefined && Number(bits) === 0) return { problem: 'trusts every address there is' }
    // IPv4 addresses are matched as ::ffff:0:0/96, which such a range contains.
    if (family === 6 && Number(bits ?? 128) <= 96 && containsMapped(address, Number(bits)))
      return { problem: 'trusts every IPv4 address' }
  }
  return { value }
}
