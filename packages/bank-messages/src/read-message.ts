import type { Bank, Origins } from './bank.ts'
import { banks } from './banks.ts'
import { type CompiledTemplate, compileTemplate } from './compile-template.ts'
import type { Gap } from './match.ts'
import { type Message, type MessageKind, noFields, type Reading } from './message.ts'
import { normalText, type NormalText } from './normal-text.ts'
import { givesCode } from './secret.ts'
import { wholeText } from './whole-text.ts'

/** Apps that show an SMS as a notification, with its sender as the title. */
const smsApps = new Set([
  'com.google.android.apps.messaging',
  'com.samsung.android.messaging',
  'com.android.mms',
  'com.android.messaging',
])
const telegrams = new Set(['org.telegram.messenger', 'org.telegram.messenger.web'])

/** A message with more characters is not from a bank. */
export const longestMessage = 1000

type CompiledBank = {
  readonly bank: Bank
  readonly titles: readonly string[]
  readonly templates: readonly CompiledTemplate[]
}

/** Banks that were compiled before: readers have most of theirs in common. */
const compiledBanks = new WeakMap<Bank, CompiledBank>()

const compileBank = (bank: Bank): CompiledBank => {
  const known = compiledBanks.get(bank)
  if (known !== undefined) return known
  const compiled = {
    bank,
    // The longest come first, because some begin with others.
    titles: [...(bank.titles ?? []), ...(bank.bots ?? [])]
      .map((title) => normalText(title).folded)
      .toSorted((a, b) => b.length - a.length),
    templates: Object.entries(bank.templates).flatMap(([kind, templates]) =>
      templates.map((template) => compileTemplate(kind as MessageKind, template, bank)),
    ),
  }
  compiledBanks.set(bank, compiled)
  return compiled
}

/** Whether a name is one of these; without any name, whether none is known. */
const isAmong = (origins: Origins | undefined, name: string | null, other: string | null): boolean => {
  if (name === null) return origins === 'unknown' && other === null
  return origins !== undefined && origins !== 'unknown' && origins.includes(name)
}

/** The text of a message that a bank's templates are compared with, or undefined if it is not from the bank. */
export const textFrom = (bank: Bank, message: Message): string | undefined => {
  const { channel, sender = null, title = null, text } = message
  const origin = message.package ?? null
  if (channel === 'sms') {
    if (!isAmong(bank.senders, sender, origin)) return undefined
    return title === sender ? text : wholeText(message)
  }
  if (origin !== null && smsApps.has(origin))
    return title !== null && isAmong(bank.senders, title, origin) ? text : undefined
  if (origin !== null && telegrams.has(origin)) {
    const { bots = [] } = bank
    return bots.some((bot) => (title ?? text.slice(0, bot.length)) === bot) ? wholeText(message) : undefined
  }
  return isAmong(bank.packages, origin, sender) ? wholeText(message) : undefined
}

/** Where the templates may begin: at the first character, and after a title that only names the app. */
const beginnings = (titles: readonly string[], { folded, spaced }: NormalText): number[] => {
  const title = titles.find((each) => folded.startsWith(each))
  if (title === undefined) return [0]
  const after = title.length
  const isMarked = '|:'.includes(folded.charAt(after)) && after < folded.length
  return isMarked || spaced[after] === 1 ? [0, isMarked ? after + 1 : after] : [0]
}

/** What the bank wrote, without what the payer did. */
const withoutComments = (text: NormalText, gaps: readonly Gap[]): string => {
  let kept = text.source
  for (const { name, from, to } of gaps) {
    if (name !== 'comment' && name !== 'message') continue
    const [first = 0, last = 0] = [text.positions[from], text.positions[to - 1]]
    kept = `${kept.slice(0, first)} ${kept.slice(last + 1)}`
  }
  return kept
}

/** The reading of a message that no template has. */
export const unknown: Reading = { kind: 'unknown', bank: null, ...noFields }
const code: Reading = { ...unknown, kind: 'code' }

/** The one meaning of what templates have found: the first reading, unless another one has other money. */
const decide = (readings: readonly Reading[]): Reading => {
  const [first = unknown, ...others] = readings
  const isSame = (reading: Reading): boolean =>
    (['kind', 'amount', 'currency', 'account', 'balance', 'fee'] as const).every(
      (name) => reading[name] === first[name],
    )
  if (readings.includes(code)) return code
  return others.every(isSame) ? first : unknown
}

/** What the templates of a bank find in a text, or `doubtful` if one of them finds several meanings. */
const readingsOf = ({ bank, titles, templates }: CompiledBank, text: NormalText): Reading[] | 'doubtful' => {
  const readings: Reading[] = []
  for (const start of beginnings(titles, text))
    for (const { kind, namesCode, read } of templates) {
      const found = read(text, start)
      if (found === 'doubtful') return found
      if (found === undefined) continue
      const isSecret = !namesCode && givesCode(withoutComments(text, found.gaps))
      readings.push(isSecret ? code : { kind, bank: bank.bank, ...found.fields })
    }
  return readings
}

/**
 * Makes a function that finds what the templates of one bank, and no others, have in a message: no readings if none of them
 * has its text, and `doubtful` if one of them finds several meanings.
 */
export const createFinder = (bank: Bank): ((message: Message) => readonly Reading[] | 'doubtful') => {
  const compiled = compileBank(bank)
  return (message) => {
    const source = wholeText(message).length > longestMessage ? undefined : textFrom(bank, message)
    return source === undefined ? [] : readingsOf(compiled, normalText(source))
  }
}

/**
 * Makes a function that reads messages of these banks. A bank's templates are compiled when its first message comes, and a
 * `TemplateFault` is thrown then if one cannot be understood.
 */
export const createReader = (known: readonly Bank[]): ((message: Message) => Reading) => {
  const compiled = new Map<Bank, CompiledBank>()
  const compiledOf = (bank: Bank): CompiledBank => {
    const found = compiled.get(bank) ?? compileBank(bank)
    compiled.set(bank, found)
    return found
  }
  return (message) => {
    const whole = wholeText(message)
    const otherwise = givesCode(whole) ? code : unknown
    if (whole.length > longestMessage) return otherwise
    const readings: Reading[] = []
    let text = normalText(message.text)
    for (const bank of known) {
      const source = textFrom(bank, message)
      if (source === undefined) continue
      if (source !== text.source) text = normalText(source)
      const found = readingsOf(compiledOf(bank), text)
      if (found === 'doubtful') return otherwise
      readings.push(...found)
    }
    return readings.length === 0 ? otherwise : decide(readings)
  }
}

/** The name of the bank that a message is from, whatever it says; undefined for a message that names no known origin. */
export const bankOf = (message: Message, known: readonly Bank[] = banks): string | undefined => {
  const isNamed = (message.sender ?? message.package ?? null) !== null
  return isNamed ? known.find((bank) => textFrom(bank, message) !== undefined)?.bank : undefined
}

/** Reads a message of the banks in `banks`. */
export const readMessage: (message: Message) => Reading = createReader(banks)
