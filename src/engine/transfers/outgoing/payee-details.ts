import { sealedJson } from '../../../secrets/sealed-text.ts'

/** What a bank says about who was paid and for what, sealed as one value. */
export type PayeeDetails = {
  readonly number: string | null
  readonly name: string | null
  readonly text: string | null
}

const sealed = sealedJson<PayeeDetails>('outgoing_transfers', 'details_sealed')
export const sealPayeeDetails = sealed.seal
export const payeeDetails = sealed.open
