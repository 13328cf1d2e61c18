import { noRecipient, type Recipient, shownName } from '../domain/recipient.ts'
import type { Requisite } from '../domain/requisite.ts'
import type { Vault } from '../secrets/vault.ts'

const locationOf = (id: string) => ({ table: 'requisites', column: 'recipient_sealed', row: id })

const revealed = new WeakMap<Requisite, Recipient>()

/** What is known of a requisite's recipient, opened once for as long as the requisite is in memory. */
export const revealRecipient = (vault: Vault, requisite: Requisite): Recipient => {
  const { id, recipientSealed } = requisite
  if (recipientSealed === null) return noRecipient
  const known = revealed.get(requisite)
  if (known !== undefined) return known
  // Fields that are younger than the row are missing in it.
  const recipient = { ...noRecipient, ...JSON.parse(vault.decrypt(recipientSealed, locationOf(id))) }
  revealed.set(requisite, recipient)
  return recipient
}

const shownNames = new WeakMap<Requisite, string>()

/** The name of a requisite's recipient as payers see it; a name's words are looked up once for as long as the requisite is in memory. */
export const shownNameOf = (vault: Vault, requisite: Requisite): string => {
  const known = shownNames.get(requisite)
  if (known !== undefined) return known
  const name = shownName({ holder: requisite.holder, recipient: revealRecipient(vault, requisite) })
  shownNames.set(requisite, name)
  return name
}

/** Seals what is known of a recipient for its requisite; `null` where that is nothing. */
export const sealRecipient = (vault: Vault, id: string, recipient: Recipient): string | null => {
  const known = Object.entries(recipient).filter(([, value]) => value !== null)
  return known.length === 0 ? null : vault.encrypt(JSON.stringify(Object.fromEntries(known)), locationOf(id))
}
