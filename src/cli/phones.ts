import { phones } from '../operations/phones.ts'
import { reveals } from '../operations/reveals.ts'
import { commandOf, nounCommands } from './noun-commands.ts'

export const phoneCommands = nounCommands(phones, { reveal: commandOf(reveals.message) })
