import { type RefundFile, refunds } from '../operations/refunds.ts'
import { reveals } from '../operations/reveals.ts'
import { outputFile } from './inputs.ts'
import { commandOf, nounCommands, printAnswer } from './noun-commands.ts'

const { 'bank-file': file } = refunds.operations

export const refundCommands = nounCommands(refunds, {
  reveal: commandOf(reveals.refund),
  'bank-file': commandOf(file, {
    inputs: { output: outputFile },
    print: ({ content: _, ...answer }: RefundFile) => printAnswer(file, answer),
    after: async (answer, { output }, session) => {
      const { content } = answer as RefundFile
      if (content !== undefined) await session.saveContent(Buffer.from(content, 'base64'), output as string)
    },
  }),
})
