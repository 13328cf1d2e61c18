import type { Command } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { printAmount, printNext, printTable, printTime } from './print-table.ts'
import { openSession } from './session.ts'

type Reversal = {
  readonly requisiteId: string
  readonly id: string
  readonly amount: number
  readonly currency: string
  readonly bookedAt: string
  readonly sender?: string
  readonly candidates: readonly string[]
}

const describe = (body: { readonly reversals: readonly Reversal[]; readonly nextCursor?: string }): string => {
  if (body.reversals.length === 0) return 'No reversal waits for a decision.'
  const rows = body.reversals.map((each) => [
    printTime(each.bookedAt),
    printAmount(each.amount, each.currency),
    each.sender,
    each.candidates.length,
    each.requisiteId,
    each.id,
  ])
  return (
    printTable(['BOOKED', 'AMOUNT>', 'SENDER', 'CANDIDATES>', 'REQUISITE', 'REVERSAL'], rows) +
    printNext(body.nextCursor)
  )
}

/** Adds `payin reversals`. */
export const addReversalCommands = (program: Command): void => {
  const reversals = program
    .command('reversals')
    .description('Money that banks took back, where the transfer is not clear.')
  addExamples(reversals, [
    'payin reversals list',
    'payin reversals list --json      (with the ids of the transfers that each may mean)',
    'payin reversals assign <requisite-id> <reversal-id> --transfer <transfer-id>',
    'payin reversals ignore <requisite-id> <reversal-id> --reason "money from before the first statement"',
  ])
  addPageOptions(
    reversals.command('list').description('List those that wait for a decision, the newest first.'),
  ).action(async (query: { limit: string; cursor?: string }, command: Command) => {
    const session = openSession(command)
    session.show(await session.get<Parameters<typeof describe>[0]>('/reversals', query), describe)
  })
  const add = (name: string, description: string): Command =>
    reversals
      .command(name)
      .description(description)
      .argument('<requisite-id>', 'requisite whose bank took it back')
      .argument('<reversal-id>', 'id of the reversal')
  const decide = async (command: Command, [requisite, id, name]: readonly string[], body: object): Promise<void> => {
    const session = openSession(command)
    const path = `/reversals/${[requisite, id].map((each) => encodeURIComponent(each ?? '')).join('/')}/${name}`
    session.show(await session.send<{ transferId?: string }>('POST', path, body), ({ transferId }) =>
      transferId === undefined
        ? `Reversal ${id} took back nothing that was recorded.`
        : `Reversal ${id} took back transfer ${transferId}.`,
    )
  }
  add('assign', 'Say which transfer a reversal took back; its money leaves from where it went.')
    .requiredOption('--transfer <id>', 'the transfer, of the same amount')
    .option('--note <text>', 'why')
    .action((requisite: string, id: string, options: { transfer: string; note?: string }, command: Command) =>
      decide(command, [requisite, id, 'assign'], { transferId: options.transfer, note: options.note }),
    )
  add('ignore', 'Say that a reversal took back nothing that was recorded.')
    .requiredOption('--reason <text>', 'why')
    .action((requisite: string, id: string, body: object, command: Command) =>
      decide(command, [requisite, id, 'ignore'], body),
    )
}
