import { noRecipient, type Recipient, shownName } from '../../rules/requisites/recipient.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import type { SealedTable, Vault } from '../../secrets/vault.ts'

/** Where a requisite's number is sealed. */
export const numberLocation = (id: string) => ({ table: 'requisites', column: 'number_sealed', row: id })

const locationOf = (id: string) => ({ table: 'requisites', column: 'recipient_sealed', row: id })

/** Caches a value computed from a requisite for as long as the requisite is in memory, as its key is anyway. */
const remember = <Value>(make: (vault: Vault, requisite: Requisite) => Value) => {
  const made = new WeakMap<Requisite, Value>()
  return (vault: Vault, requisite: Requisite): Value => {
    const known = made.get(requisite)
    if (known !== undefined) return known
    const value = make(vault, requisite)
    made.set(requisite, value)
    return value
  }
}

/** The requisite's number in digits, for whoever pays to it. Decrypting it each time took 6 % of a busy process. */
export const revealNumber = remember((vault, { id, numberSealed }) => vault.decrypt(numberSealed, numberLocation(id)))

export const revealRecipient = remember((vault, { id, recipientSealed }): Recipient => {
  // A row may lack fields that were added later.
  const known = recipientSealed === null ? {} : JSON.parse(vault.decrypt(recipientSealed, locationOf(id)))
  return { ...noRecipient, ...known }
})

export const shownNameOf = remember((vault, requisite) =>
  shownName({ holder: requisite.holder, recipient: revealRecipient(vault, requisite) }),
)

/** Seals the recipient of a requisite; `null` if it is empty. */
export const sealRecipient = (vault: Vault, id: string, recipient: Recipient): string | null => {
  const known = Object.entries(recipient).filter(([, value]) => value !== null)
  return known.length === 0 ? null : vault.encrypt(JSON.stringify(Object.fromEntries(known)), locationOf(id))
}

export const sealedRequisites: SealedTable = {
  table: 'requisites',
  key: { id: 'uuid' },
  columns: [
    {
      name: 'number_sealed',
      index: { name: 'number_index', of: (vault, number) => vault.blindIndex('requisite', number.toString()) },
    },
    { name: 'recipient_sealed' },
  ],
}
