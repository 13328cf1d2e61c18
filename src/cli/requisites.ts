import { allocation, type Explanation } from '../operations/allocation.ts'
import { requisiteHealth } from '../operations/requisite-health.ts'
import { changedStatuses, requisites } from '../operations/requisites.ts'
import { reveals } from '../operations/reveals.ts'
import { printAccount, type Printed, printSections } from './print-table.ts'
import { commandOf, nounCommands, printAnswer } from './noun-commands.ts'

const describeExplanation = (answer: Explanation): Printed => {
  const { chosenId, verdicts } = answer
  const chosen = verdicts.find(({ requisiteId }) => requisiteId === chosenId)
  return printSections(
    chosenId === undefined
      ? 'No requisite is free for this payment.'
      : `This payment would get ${printAccount(chosen?.requisite, chosenId)}.`,
    // The counts include those of another mode, method or currency.
    printAnswer(allocation.explain, {
      ...answer,
      verdicts: verdicts.filter(({ refused = '' }) => !refused.startsWith('other-')),
    }),
  )
}

const operations = { ...requisites.operations, ...requisiteHealth, ...changedStatuses }

export const requisiteCommands = nounCommands(
  { ...requisites, operations },
  {
    explain: commandOf(allocation.explain, { print: describeExplanation }),
    reveal: commandOf(reveals.requisite),
  },
)
