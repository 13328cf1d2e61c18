import type { Vault } from '../secrets/vault.ts'
import type { Requisite } from '../domain/requisite.ts'
import { numberPlace } from './add-requisites.ts'

/** The requisite's number in digits, for the one who is to pay to it. */
export const revealNumber = (vault: Vault, requisite: Requisite): string =>
  vault.decrypt(requisite.numberSealed, numberPlace(requisite.id))
