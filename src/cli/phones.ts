import type { RevealedText } from '../http/operator-api/reveal.ts'
import { phones } from '../operations/phones.ts'
import { type Commands, request } from './commands.ts'
import { argument, required } from './inputs.ts'
import { nounCommands } from './noun-commands.ts'

const own: Commands = {
  reveal: request('POST /phone-messages/{messageId}/reveal', {
    description: 'Show what a bank has written. The audit records who saw it and why.',
    inputs: { messageId: argument('<message>', 'id of the message'), reason: required('--reason <reason>', 'why') },
    print: ({ text }: RevealedText) => text,
  }),
}

/** Phones that forward messages of banks. */
export const phoneCommands = nounCommands(phones, own)
