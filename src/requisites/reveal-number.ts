import type { Vault } from '../secrets/vault.ts'
import type { Requisite } from '../domain/requisite.ts'
import { numberLocation } from './add-requisites.ts'

const revealed = new WeakMap<Requisite, string>()

/**
 * The requisite's number in digits, for the one who is to pay to it. Opened once for as long as the requisite is in
 * memory, where its key is as well: opening took 6 % of a busy process.
 */
export const revealNumber = (vault: Vault, requisite: Requisite): string => {
  const known = revealed.get(requisite)
  if (known !== undefined) return known
  const number = vault.decrypt(requisite.numberSealed, numberLocation(requisite.id))
  revealed.set(requisite, number)
  return number
}
