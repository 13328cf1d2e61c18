import { type Bank, bankOf, banks, createFinder, createReader, readMessage, TemplateFault } from 'bank-messages'
import { letOthersRun } from '../let-others-run.ts'
import { currencyDecimals, parseDecimal } from '../../rules/values/currency.ts'
import type { ForwardedMessage, TaughtKind } from '../../rules/phones/phone.ts'
import type { SealedTable, Vault } from '../../secrets/vault.ts'
import { sealedText } from '../../secrets/sealed-text.ts'

/** What the bank has written, and where: the part of a message that is kept sealed. */
export type MessageContent = Pick<ForwardedMessage, 'channel' | 'sender' | 'package' | 'title' | 'text'>

type Reading = ReturnType<typeof readMessage>

/** What a bank says, and the taught template that has read it. */
export type BankReading = Reading & { readonly bank: string; readonly templateId: string | null }

/**
 * Reads a message: `code` if it has a code or a password, `other` if it is from nobody that is known as a bank. Nothing may
 * be kept of those.
 */
export type MessageReader = (content: MessageContent) => BankReading | 'code' | 'other'

/** A template that operators have taught. */
export type TaughtTemplate = {
  readonly id: string
  readonly bank: string
  readonly kind: TaughtKind
  readonly template: string
}

const withTaught = (bank: Bank, taught: readonly TaughtTemplate[]): Bank => {
  const own = Map.groupBy(taught, ({ kind }) => kind)
  const templates = Object.fromEntries(
    [...own].map(([kind, added]) => [
      kind,
      [...(bank.templates[kind] ?? []), ...added.map(({ template }) => template)],
    ]),
  )
  return { ...bank, templates: { ...bank.templates, ...templates } }
}

/** A function that says whether a message has the text of one template. */
export const matcherOf = ({
  bank,
  kind,
  template,
}: Omit<TaughtTemplate, 'id'>): ((content: MessageContent) => boolean) => {
  const known = banks.find((each) => each.bank === bank)
  if (known === undefined) return () => false
  const find = createFinder({ ...known, templates: { [kind]: [template] } })
  return (content) => {
    const found = find(content)
    return found === 'doubtful' || found.length > 0
  }
}

/**
 * Makes a reader with templates that operators have taught. They are compared with the same texts as the bank's own, and a
 * text that two templates read differently is not read. A template that this version cannot understand any more reads
 * nothing, so that its messages wait, and no others.
 */
export const createMessageReader = (all: readonly TaughtTemplate[]): MessageReader => {
  const known = all.flatMap((each) => {
    try {
      return [{ ...each, matches: matcherOf(each) }]
    } catch (error) {
      if (error instanceof TemplateFault) return []
      throw error
    }
  })
  const ofBanks = Map.groupBy(known, ({ bank }) => bank)
  const readTaught = createReader(
    banks.map((each) => {
      const own = ofBanks.get(each.bank)
      return own === undefined ? each : withTaught(each, own)
    }),
  )
  const read = (content: MessageContent): { readonly reading: Reading; readonly templateId: string | null } => {
    const own = ofBanks.get(bankOf(content) ?? '') ?? []
    const first = own.find(({ matches }) => matches(content))
    if (first === undefined) return { reading: readMessage(content), templateId: null }
    const reading = readTaught(content)
    const isTaught = reading.kind !== 'unknown' && readMessage(content).kind !== reading.kind
    return { reading, templateId: isTaught ? first.id : null }
  }
  return (content) => {
    const { reading, templateId } = read(content)
    if (reading.kind === 'code') return 'code'
    const bank = reading.bank ?? bankOf(content)
    return bank === undefined ? 'other' : { ...reading, bank, templateId }
  }
}

/** Reads a message once waiting requests have had their turn: reading a hundred long ones takes a second. */
export const readInTurn = async (read: MessageReader, content: MessageContent): Promise<ReturnType<MessageReader>> => {
  await letOthersRun()
  return read(content)
}

/** Minor units of a decimal text, in a currency; null if it has none, or too many decimals. */
export const minorOf = (amount: string | null, currency: string): bigint | null => {
  const read = amount === null ? null : parseDecimal(amount, currencyDecimals(currency))
  return typeof read === 'bigint' ? read : null
}

const contents = sealedText('phone_messages', 'content_sealed')

const textOf = ({ channel, sender, package: app, title, text }: MessageContent): string =>
  JSON.stringify({ channel, sender, package: app, title, text })

/** The sealed text of a message. */
export const sealContent = (vault: Vault, id: string, content: MessageContent): string =>
  contents.seal(vault, id, textOf(content))

/** Opens it; null if it was deleted. */
export const openContent = (vault: Vault, id: string, sealed: string | null): MessageContent | null =>
  sealed === null ? null : (JSON.parse(contents.open(vault, id, sealed)) as MessageContent)

const contentKind = 'phone-message'

/** The keyed hashes of what a message says, the first key's first. */
export const indexesOf = (vault: Vault, content: MessageContent): readonly string[] =>
  vault.blindIndexes(contentKind, textOf(content))

export const sealedMessages: SealedTable = {
  table: 'phone_messages',
  key: { id: 'uuid' },
  columns: [
    {
      name: 'content_sealed',
      index: { name: 'content_index', of: (vault, content) => vault.blindIndex(contentKind, content.toString()) },
    },
  ],
}
