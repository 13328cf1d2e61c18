import type { KeysAnswer } from '../http/operator-api/keys.ts'
import { type Group, request } from './commands.ts'
import { argument } from './inputs.ts'
import { type Printed, printRows, printSections, printTime } from './print-table.ts'

const describeRotation = (rotation: KeysAnswer['rotation']): Printed => {
  if (!rotation) return 'No rotation has been started.'
  const { key, startedAt, finishedAt, tables } = rotation
  if (finishedAt !== undefined) return `Everything was sealed with ${key} by ${printTime(finishedAt)}.`
  const done = tables.filter(({ isFinished }) => isFinished)
  const renewed = tables.reduce((sum, table) => sum + table.renewed, 0)
  return printSections(
    `The rotation to ${key} has been under way since ${printTime(startedAt)}: ${done.length} of ${tables.length} tables are done, ${renewed} rows were renewed.`,
    printRows(
      tables.filter((table) => !table.isFinished && table.renewed > 0),
      { TABLE: 'name', 'RENEWED>': 'renewed' },
    ),
  )
}

const describeKeys = ({ keys, processes, rotation, retired, advice }: KeysAnswer): Printed => {
  const ids = keys.map(({ id }) => id).join()
  return printSections(
    printRows(
      keys.map(({ id, isNeeded }, index) => ({ id, use: index === 0 ? 'seals and opens' : 'opens', isNeeded })),
      { KEY: 'id', USE: 'use', NEEDED: ({ isNeeded }) => (isNeeded ? 'yes' : 'no') },
    ),
    processes.some((each) => each.keys.join() !== ids)
      ? printRows(processes, { PROCESS: 'name', HOST: 'host', KEYS: (each) => each.keys.join(', ') })
      : undefined,
    describeRotation(rotation),
    ...advice,
    retired.length === 0
      ? undefined
      : `Addresses of pages and links that ${retired.join(' and ')} made still work; after a leak: payin keys forget ${retired[0]}`,
  )
}

export const keyCommands: Group = {
  description: 'Encryption keys: which are needed, and their rotation while the service runs.',
  examples: ['payin keys status', 'payin keys rotate'],
  usual: 'status',
  commands: {
    status: request('GET /keys', {
      description: 'Show the names of the keys, which are needed, and how far the rotation is.',
      print: (answer: KeysAnswer) => describeKeys(answer),
    }),
    rotate: request('POST /keys/rotation', {
      description: 'Seal and index everything with the first key, while the service runs; status shows the progress.',
      print: (answer: KeysAnswer) => describeKeys(answer),
    }),
    forget: request('DELETE /keys/retired/{id}', {
      description:
        'After a leak: invalidate addresses of pages and links that a retired key made, from the next start on.',
      inputs: { id: argument('<key>', 'name of the key, such as k1') },
      print: (_answer: KeysAnswer, { id }) =>
        `Forgotten. Restart the processes: from then on, addresses that ${id} made no longer work.`,
    }),
  },
}
