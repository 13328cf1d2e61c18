import { allocation, type Explanation } from '../operations/allocation.ts'
import { requisiteHealth } from '../operations/requisite-health.ts'
import { changedStatuses, type ChangedStatuses, type RequisiteAnswer, requisites } from '../operations/requisites.ts'
import { reveals } from '../operations/reveals.ts'
import { command } from './commands.ts'
import { argument, option, several } from './inputs.ts'
import { printAccount, type Printed, printSections } from './print-table.ts'
import { resolvedId } from './named-inputs.ts'
import { commandOf, nounCommands, printAnswer } from './noun-commands.ts'

const severalRequisites = resolvedId(
  argument('<requisite...>', 'label, last digits or id of one or more requisites', several),
  'requisite',
)

/** A command that sets the status of one or more requisites; exits with 1 if one of several was refused. */
const setStatuses = (status: 'active' | 'paused', description: string) =>
  command({
    description,
    inputs: { requisites: severalRequisites, reason: option('--reason <reason>', 'why, for the audit') },
    run: async (session, { requisites: ids, reason }) => {
      const [id, ...others] = ids
      if (others.length === 0) {
        const answer = await session.call<RequisiteAnswer>(
          'PATCH /requisites/{id}',
          { id },
          { body: { status, reason } },
        )
        session.show(answer, (changed) => `${printAccount(changed)} is ${changed.status}.`)
        return
      }
      const answer = await session.call<ChangedStatuses>('POST /requisites/statuses', {
        requisites: ids,
        status,
        reason,
      })
      session.show(answer, (changed) => printAnswer(changedStatuses, 'set', changed))
      if (answer.body.requisites.some(({ state }) => state === 'refused')) session.fail()
    },
  })

const describeExplanation = (answer: Explanation): Printed => {
  const { chosenId, verdicts } = answer
  const chosen = verdicts.find(({ requisiteId }) => requisiteId === chosenId)
  return printSections(
    chosenId === undefined
      ? 'No requisite is free for this payment.'
      : `This payment would get ${printAccount(chosen?.requisite, chosenId)}.`,
    // The counts include those of another mode, method or currency.
    printAnswer(allocation, 'explain', {
      ...answer,
      verdicts: verdicts.filter(({ refused = '' }) => !refused.startsWith('other-')),
    }),
  )
}

const explain = commandOf(allocation, 'explain', { print: describeExplanation })

const changes = {
  pause: setStatuses('paused', 'Pause requisites: they get no new payments until resumed.'),
  resume: setStatuses('active', 'Resume paused requisites.'),
  reveal: commandOf(reveals, 'requisite'),
}

const operations = { ...requisites.operations, ...requisiteHealth }

export const requisiteCommands = nounCommands(
  { ...requisites, operations },
  {
    ...changes,
    explain,
  },
)
