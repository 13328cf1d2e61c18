import { bankOf, readMessage } from 'bank-messages'
import { letOthersRun } from '../let-others-run.ts'
import { currencyDecimals, parseDecimal } from '../../rules/values/currency.ts'
import type { ForwardedMessage } from '../../rules/phones/phone.ts'
import type { SealedTable, Vault } from '../../secrets/vault.ts'

/** What the bank has written, and where: the part of a message that is kept sealed. */
export type MessageContent = Pick<ForwardedMessage, 'channel' | 'sender' | 'package' | 'title' | 'text'>

export type BankReading = ReturnType<typeof readMessage> & { readonly bank: string }

/**
 * What a message says; `code` if it has a code or a password, `other` if it is from nobody that is known as a bank. Nothing
 * may be kept of those.
 */
export const readContent = (content: MessageContent): BankReading | 'code' | 'other' => {
  const reading = readMessage(content)
  if (reading.kind === 'code') return 'code'
  const bank = reading.bank ?? bankOf(content)
  return bank === undefined ? 'other' : { ...reading, bank }
}

/** Reads a message once waiting requests have had their turn: reading a hundred long ones takes a second. */
export const readInTurn = async (content: MessageContent): Promise<ReturnType<typeof readContent>> => {
  await letOthersRun()
  return readContent(content)
}

/** Minor units of a decimal text, in a currency; null if it has none, or too many decimals. */
export const minorOf = (amount: string | null, currency: string): bigint | null => {
  const read = amount === null ? null : parseDecimal(amount, currencyDecimals(currency))
  return typeof read === 'bigint' ? read : null
}

const contentCell = (id: string) => ({ table: 'phone_messages', column: 'content_sealed', row: id })

const textOf = ({ channel, sender, package: app, title, text }: MessageContent): string =>
  JSON.stringify({ channel, sender, package: app, title, text })

/** The sealed text of a message. */
export const sealContent = (vault: Vault, id: string, content: MessageContent): string =>
  vault.encrypt(textOf(content), contentCell(id))

/** Opens it; null if it was deleted. */
export const openContent = (vault: Vault, id: string, sealed: string | null): MessageContent | null =>
  sealed === null ? null : (JSON.parse(vault.decrypt(sealed, contentCell(id))) as MessageContent)

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
