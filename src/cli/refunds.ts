import { refunds } from '../operations/refunds.ts'
import { reveals } from '../operations/reveals.ts'
import { commandOf, nounCommands } from './noun-commands.ts'

export const refundCommands = nounCommands(refunds, { reveal: commandOf(reveals.refund) })
